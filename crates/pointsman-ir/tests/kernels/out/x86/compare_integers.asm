; AVX-512
; scratch memory: 0 bytes, starting with
  push rbx
  push rbp
  push r12
  push r13
  push r14
  push r15
  mov rcx,[rdi]
  mov rbp,[rdi+10h]
  mov r8,[rdi+38h]
  mov r9,[rdi+48h]
  mov r10,[rdi+58h]
  mov r11,[rdi+68h]
  mov r12,[rdi+78h]
  mov r13,[rdi+88h]
  xor esi,esi
  xor edx,edx
  xor r15d,r15d
  cmp qword ptr [rdi+28h],0
  je L2
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L4
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop
L1:
  vmovdqu32 zmm0,[r8+rsi*4]
  vmovdqu32 zmm1,[r9+rsi*4]
  vpcmpeqd k1,zmm0,zmm1
  vpcmpeqd k2,zmm0,zmm1
  knotw k2,k2
  korw k2,k1,k2
  vpcmpltd k1,zmm0,zmm1
  korw k1,k2,k1
  vpcmpltd k2,zmm1,zmm0
  knotw k2,k2
  korw k2,k1,k2
  vpcmpltd k1,zmm1,zmm0
  korw k1,k2,k1
  vpcmpltd k2,zmm0,zmm1
  knotw k2,k2
  korw k2,k1,k2
  vpmovzxbd zmm1,[r10+rsi]
  vpmovzxbd zmm0,[r11+rsi]
  vpcmpequd k1,zmm1,zmm0
  korw k1,k2,k1
  vpcmpltud k2,zmm1,zmm0
  korw k2,k1,k2
  vmovdqu64 zmm0,[r12+rsi*8]
  vmovdqu64 zmm1,[r12+rsi*8+40h]
  vmovdqu64 zmm2,[r13+rsi*8]
  vmovdqu64 zmm3,[r13+rsi*8+40h]
  vpcmpequq k1,zmm0,zmm2
  vpcmpequq k3,zmm1,zmm3
  kunpckbw k3,k3,k1
  korw k3,k2,k3
  vpcmpltuq k2,zmm0,zmm2
  vpcmpltuq k1,zmm1,zmm3
  kunpckbw k1,k1,k2
  korw k1,k3,k1
  mov r14,[rdi+98h]
  kmovw [r14+rdx],k1
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L1
  sfence
  jmp L4
L2:
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L4
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu32 zmm0,[r8+rsi*4]
  vmovdqu32 zmm1,[r9+rsi*4]
  vpcmpeqd k1,zmm0,zmm1
  vpcmpeqd k2,zmm0,zmm1
  knotw k2,k2
  korw k2,k1,k2
  vpcmpltd k1,zmm0,zmm1
  korw k1,k2,k1
  vpcmpltd k2,zmm1,zmm0
  knotw k2,k2
  korw k2,k1,k2
  vpcmpltd k1,zmm1,zmm0
  korw k1,k2,k1
  vpcmpltd k2,zmm0,zmm1
  knotw k2,k2
  korw k2,k1,k2
  vpmovzxbd zmm1,[r10+rsi]
  vpmovzxbd zmm0,[r11+rsi]
  vpcmpequd k1,zmm1,zmm0
  korw k1,k2,k1
  vpcmpltud k2,zmm1,zmm0
  korw k2,k1,k2
  vmovdqu64 zmm0,[r12+rsi*8]
  vmovdqu64 zmm1,[r12+rsi*8+40h]
  vmovdqu64 zmm2,[r13+rsi*8]
  vmovdqu64 zmm3,[r13+rsi*8+40h]
  vpcmpequq k1,zmm0,zmm2
  vpcmpequq k3,zmm1,zmm3
  kunpckbw k3,k3,k1
  korw k3,k2,k3
  vpcmpltuq k2,zmm0,zmm2
  vpcmpltuq k1,zmm1,zmm3
  kunpckbw k1,k1,k2
  korw k1,k3,k1
  mov r14,[rdi+98h]
  kmovw [r14+rdx],k1
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L6
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu32 zmm0{k1}{z},[r8+rsi*4]
  vmovdqu32 zmm1{k1}{z},[r9+rsi*4]
  vpcmpeqd k2,zmm0,zmm1
  vpcmpeqd k3,zmm0,zmm1
  knotw k3,k3
  korw k3,k2,k3
  vpcmpltd k2,zmm0,zmm1
  korw k2,k3,k2
  vpcmpltd k3,zmm1,zmm0
  knotw k3,k3
  korw k3,k2,k3
  vpcmpltd k2,zmm1,zmm0
  korw k2,k3,k2
  vpcmpltd k3,zmm0,zmm1
  knotw k3,k3
  korw k3,k2,k3
  vpmovzxbd zmm1{k1}{z},[r10+rsi]
  vpmovzxbd zmm0{k1}{z},[r11+rsi]
  vpcmpequd k2,zmm1,zmm0
  korw k2,k3,k2
  vpcmpltud k3,zmm1,zmm0
  korw k3,k2,k3
  vmovdqu64 zmm0{k1}{z},[r12+rsi*8]
  kshiftrw k2,k1,8
  vmovdqu64 zmm1{k2}{z},[r12+rsi*8+40h]
  vmovdqu64 zmm2{k1}{z},[r13+rsi*8]
  vmovdqu64 zmm3{k2}{z},[r13+rsi*8+40h]
  vpcmpequq k2,zmm0,zmm2
  vpcmpequq k4,zmm1,zmm3
  kunpckbw k4,k4,k2
  korw k4,k3,k4
  vpcmpltuq k3,zmm0,zmm2
  vpcmpltuq k2,zmm1,zmm3
  kunpckbw k2,k2,k3
  korw k2,k4,k2
  kandw k2,k2,k1
  mov r14,[rdi+98h]
  kmovw eax,k2
  mov [r14+rdx],al
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  shr eax,8
  mov [r14+rdx+1],al
L5:
  jmp L6
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L6:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret

; AVX2
; scratch memory: 256 bytes, starting with
  times 1 dq 0xffffffffffffffff
  times 1 dq 0x8000000080000000
  times 1 dq 0x0000000000000000
  times 1 dq 0x8000000000000000
  times 1 dq 0x0000000000000000
  times 1 dq 0x0000000200000001
  times 1 dq 0x0000000800000004
  times 1 dq 0x0000002000000010
  times 1 dq 0x0000008000000040
  times 1 dq 0x0000020000000100
  times 1 dq 0x0000080000000400
  times 1 dq 0x0000200000001000
  times 1 dq 0x0000800000004000
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  push rbx
  push rbp
  push r12
  push r13
  push r14
  push r15
  mov rcx,[rdi]
  mov rbp,[rdi+10h]
  mov r8,[rdi+38h]
  mov r9,[rdi+48h]
  mov r10,[rdi+58h]
  mov r11,[rdi+68h]
  mov r12,[rdi+78h]
  mov r13,[rdi+88h]
  xor esi,esi
  xor edx,edx
  xor r15d,r15d
  cmp qword ptr [rdi+28h],0
  je L2
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L4
  vpbroadcastq ymm0,[rbp]
  vpbroadcastq ymm1,[rbp+8]
  vpbroadcastq ymm2,[rbp+18h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop
L1:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  vmovdqu ymm5,[r9+rsi*4]
  vmovdqu ymm6,[r9+rsi*4+20h]
  vpcmpeqd ymm7,ymm3,ymm5
  vpcmpeqd ymm8,ymm4,ymm6
  vpcmpeqd ymm9,ymm3,ymm5
  vpcmpeqd ymm10,ymm4,ymm6
  vpxor ymm9,ymm9,ymm0
  vpxor ymm10,ymm10,ymm0
  vpor ymm9,ymm7,ymm9
  vpor ymm10,ymm8,ymm10
  vpcmpgtd ymm8,ymm5,ymm3
  vpcmpgtd ymm7,ymm6,ymm4
  vpor ymm8,ymm9,ymm8
  vpor ymm7,ymm10,ymm7
  vpcmpgtd ymm10,ymm3,ymm5
  vpcmpgtd ymm9,ymm4,ymm6
  vpxor ymm10,ymm10,ymm0
  vpxor ymm9,ymm9,ymm0
  vpor ymm10,ymm8,ymm10
  vpor ymm9,ymm7,ymm9
  vpcmpgtd ymm7,ymm3,ymm5
  vpcmpgtd ymm8,ymm4,ymm6
  vpor ymm7,ymm10,ymm7
  vpor ymm8,ymm9,ymm8
  vpcmpgtd ymm5,ymm5,ymm3
  vpcmpgtd ymm6,ymm6,ymm4
  vpxor ymm5,ymm5,ymm0
  vpxor ymm6,ymm6,ymm0
  vpor ymm5,ymm7,ymm5
  vpor ymm6,ymm8,ymm6
  vpmovzxbd ymm8,[r10+rsi]
  vpmovzxbd ymm7,[r10+rsi+8]
  vpmovzxbd ymm4,[r11+rsi]
  vpmovzxbd ymm3,[r11+rsi+8]
  vpcmpeqd ymm9,ymm8,ymm4
  vpcmpeqd ymm10,ymm7,ymm3
  vpor ymm9,ymm5,ymm9
  vpor ymm10,ymm6,ymm10
  vpxor ymm8,ymm8,ymm1
  vpxor ymm7,ymm7,ymm1
  vpxor ymm4,ymm4,ymm1
  vpxor ymm3,ymm3,ymm1
  vpcmpgtd ymm4,ymm4,ymm8
  vpcmpgtd ymm3,ymm3,ymm7
  vpor ymm4,ymm9,ymm4
  vpor ymm3,ymm10,ymm3
  vmovdqu ymm10,[r12+rsi*8]
  vmovdqu ymm9,[r12+rsi*8+20h]
  vmovdqu ymm7,[r12+rsi*8+40h]
  vmovdqu ymm8,[r12+rsi*8+60h]
  vmovdqu ymm6,[r13+rsi*8]
  vmovdqu ymm5,[r13+rsi*8+20h]
  vmovdqu ymm11,[r13+rsi*8+40h]
  vmovdqu ymm12,[r13+rsi*8+60h]
  vpcmpeqq ymm13,ymm10,ymm6
  vpcmpeqq ymm14,ymm9,ymm5
  vshufps ymm14,ymm13,ymm14,88h
  vpermq ymm14,ymm14,0D8h
  vpcmpeqq ymm13,ymm7,ymm11
  vpcmpeqq ymm15,ymm8,ymm12
  vshufps ymm15,ymm13,ymm15,88h
  vpermq ymm15,ymm15,0D8h
  vpor ymm14,ymm4,ymm14
  vpor ymm15,ymm3,ymm15
  vpxor ymm10,ymm10,ymm2
  vpxor ymm9,ymm9,ymm2
  vpxor ymm6,ymm6,ymm2
  vpxor ymm5,ymm5,ymm2
  vpcmpgtq ymm6,ymm6,ymm10
  vpcmpgtq ymm5,ymm5,ymm9
  vshufps ymm5,ymm6,ymm5,88h
  vpermq ymm5,ymm5,0D8h
  vpxor ymm7,ymm7,ymm2
  vpxor ymm8,ymm8,ymm2
  vpxor ymm11,ymm11,ymm2
  vpxor ymm12,ymm12,ymm2
  vpcmpgtq ymm11,ymm11,ymm7
  vpcmpgtq ymm12,ymm12,ymm8
  vshufps ymm12,ymm11,ymm12,88h
  vpermq ymm12,ymm12,0D8h
  vpor ymm5,ymm14,ymm5
  vpor ymm12,ymm15,ymm12
  mov r14,[rdi+98h]
  vmovmskps eax,ymm5
  mov [r14+rdx],al
  vmovmskps eax,ymm12
  mov [r14+rdx+1],al
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L1
  sfence
  jmp L4
L2:
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L4
  vpbroadcastq ymm0,[rbp]
  vpbroadcastq ymm1,[rbp+8]
  vpbroadcastq ymm2,[rbp+18h]
  nop [rax+rax]
L3:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  vmovdqu ymm5,[r9+rsi*4]
  vmovdqu ymm6,[r9+rsi*4+20h]
  vpcmpeqd ymm7,ymm3,ymm5
  vpcmpeqd ymm8,ymm4,ymm6
  vpcmpeqd ymm9,ymm3,ymm5
  vpcmpeqd ymm10,ymm4,ymm6
  vpxor ymm9,ymm9,ymm0
  vpxor ymm10,ymm10,ymm0
  vpor ymm9,ymm7,ymm9
  vpor ymm10,ymm8,ymm10
  vpcmpgtd ymm8,ymm5,ymm3
  vpcmpgtd ymm7,ymm6,ymm4
  vpor ymm8,ymm9,ymm8
  vpor ymm7,ymm10,ymm7
  vpcmpgtd ymm10,ymm3,ymm5
  vpcmpgtd ymm9,ymm4,ymm6
  vpxor ymm10,ymm10,ymm0
  vpxor ymm9,ymm9,ymm0
  vpor ymm10,ymm8,ymm10
  vpor ymm9,ymm7,ymm9
  vpcmpgtd ymm7,ymm3,ymm5
  vpcmpgtd ymm8,ymm4,ymm6
  vpor ymm7,ymm10,ymm7
  vpor ymm8,ymm9,ymm8
  vpcmpgtd ymm5,ymm5,ymm3
  vpcmpgtd ymm6,ymm6,ymm4
  vpxor ymm5,ymm5,ymm0
  vpxor ymm6,ymm6,ymm0
  vpor ymm5,ymm7,ymm5
  vpor ymm6,ymm8,ymm6
  vpmovzxbd ymm8,[r10+rsi]
  vpmovzxbd ymm7,[r10+rsi+8]
  vpmovzxbd ymm4,[r11+rsi]
  vpmovzxbd ymm3,[r11+rsi+8]
  vpcmpeqd ymm9,ymm8,ymm4
  vpcmpeqd ymm10,ymm7,ymm3
  vpor ymm9,ymm5,ymm9
  vpor ymm10,ymm6,ymm10
  vpxor ymm8,ymm8,ymm1
  vpxor ymm7,ymm7,ymm1
  vpxor ymm4,ymm4,ymm1
  vpxor ymm3,ymm3,ymm1
  vpcmpgtd ymm4,ymm4,ymm8
  vpcmpgtd ymm3,ymm3,ymm7
  vpor ymm4,ymm9,ymm4
  vpor ymm3,ymm10,ymm3
  vmovdqu ymm10,[r12+rsi*8]
  vmovdqu ymm9,[r12+rsi*8+20h]
  vmovdqu ymm7,[r12+rsi*8+40h]
  vmovdqu ymm8,[r12+rsi*8+60h]
  vmovdqu ymm6,[r13+rsi*8]
  vmovdqu ymm5,[r13+rsi*8+20h]
  vmovdqu ymm11,[r13+rsi*8+40h]
  vmovdqu ymm12,[r13+rsi*8+60h]
  vpcmpeqq ymm13,ymm10,ymm6
  vpcmpeqq ymm14,ymm9,ymm5
  vshufps ymm14,ymm13,ymm14,88h
  vpermq ymm14,ymm14,0D8h
  vpcmpeqq ymm13,ymm7,ymm11
  vpcmpeqq ymm15,ymm8,ymm12
  vshufps ymm15,ymm13,ymm15,88h
  vpermq ymm15,ymm15,0D8h
  vpor ymm14,ymm4,ymm14
  vpor ymm15,ymm3,ymm15
  vpxor ymm10,ymm10,ymm2
  vpxor ymm9,ymm9,ymm2
  vpxor ymm6,ymm6,ymm2
  vpxor ymm5,ymm5,ymm2
  vpcmpgtq ymm6,ymm6,ymm10
  vpcmpgtq ymm5,ymm5,ymm9
  vshufps ymm5,ymm6,ymm5,88h
  vpermq ymm5,ymm5,0D8h
  vpxor ymm7,ymm7,ymm2
  vpxor ymm8,ymm8,ymm2
  vpxor ymm11,ymm11,ymm2
  vpxor ymm12,ymm12,ymm2
  vpcmpgtq ymm11,ymm11,ymm7
  vpcmpgtq ymm12,ymm12,ymm8
  vshufps ymm12,ymm11,ymm12,88h
  vpermq ymm12,ymm12,0D8h
  vpor ymm5,ymm14,ymm5
  vpor ymm12,ymm15,ymm12
  mov r14,[rdi+98h]
  vmovmskps eax,ymm5
  mov [r14+rdx],al
  vmovmskps eax,ymm12
  mov [r14+rdx+1],al
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L38
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm0,ebx
  vpbroadcastw ymm0,xmm0
  vmovdqu ymm13,[rbp+28h]
  vpand ymm1,ymm0,ymm13
  vpcmpeqd ymm14,ymm1,ymm13
  vmovdqu [rbp+0E0h],ymm14
  vmovdqu ymm15,[rbp+48h]
  vpand ymm0,ymm0,ymm15
  vpcmpeqd ymm13,ymm0,ymm15
  vmovdqu [rbp+0C0h],ymm13
  vpmaskmovd ymm2,ymm14,[r8+rsi*4]
  vpmaskmovd ymm3,ymm13,[r8+rsi*4+20h]
  vpmaskmovd ymm4,ymm14,[r9+rsi*4]
  vpmaskmovd ymm5,ymm13,[r9+rsi*4+20h]
  vpcmpeqd ymm6,ymm2,ymm4
  vpcmpeqd ymm7,ymm3,ymm5
  vpcmpeqd ymm8,ymm2,ymm4
  vpcmpeqd ymm9,ymm3,ymm5
  vpbroadcastq ymm15,[rbp]
  vpxor ymm8,ymm8,ymm15
  vpxor ymm9,ymm9,ymm15
  vpor ymm8,ymm6,ymm8
  vpor ymm9,ymm7,ymm9
  vpcmpgtd ymm7,ymm4,ymm2
  vpcmpgtd ymm6,ymm5,ymm3
  vpor ymm7,ymm8,ymm7
  vpor ymm6,ymm9,ymm6
  vpcmpgtd ymm9,ymm2,ymm4
  vpcmpgtd ymm8,ymm3,ymm5
  vpxor ymm9,ymm9,ymm15
  vpxor ymm8,ymm8,ymm15
  vpor ymm9,ymm7,ymm9
  vpor ymm8,ymm6,ymm8
  vpcmpgtd ymm6,ymm2,ymm4
  vpcmpgtd ymm7,ymm3,ymm5
  vpor ymm6,ymm9,ymm6
  vpor ymm7,ymm8,ymm7
  vpcmpgtd ymm4,ymm4,ymm2
  vpcmpgtd ymm5,ymm5,ymm3
  vpxor ymm4,ymm4,ymm15
  vpxor ymm5,ymm5,ymm15
  vpor ymm4,ymm6,ymm4
  vpor ymm5,ymm7,ymm5
  vpbroadcastq ymm14,[rbp+10h]
  vmovdqa ymm7,ymm14
  vmovdqu ymm13,[rbp+0E0h]
  vmovdqu ymm15,[rbp+0C0h]
  vpackssdw ymm6,ymm13,ymm15
  vpacksswb ymm6,ymm6,ymm6
  vmovdqu ymm14,[rbp+68h]
  vpermd ymm6,ymm14,ymm6
  vpmovmskb eax,xmm6
  test eax,1
  je L5
  vpinsrb xmm7,xmm7,[r10+rsi],0
L5:
  test eax,2
  je L6
  vpinsrb xmm7,xmm7,[r10+rsi+1],1
L6:
  test eax,4
  je L7
  vpinsrb xmm7,xmm7,[r10+rsi+2],2
L7:
  test eax,8
  je L8
  vpinsrb xmm7,xmm7,[r10+rsi+3],3
L8:
  test eax,10h
  je L9
  vpinsrb xmm7,xmm7,[r10+rsi+4],4
L9:
  test eax,20h
  je L10
  vpinsrb xmm7,xmm7,[r10+rsi+5],5
L10:
  test eax,40h
  je L11
  vpinsrb xmm7,xmm7,[r10+rsi+6],6
L11:
  test eax,80h
  je L12
  vpinsrb xmm7,xmm7,[r10+rsi+7],7
L12:
  test eax,100h
  je L13
  vpinsrb xmm7,xmm7,[r10+rsi+8],8
L13:
  test eax,200h
  je L14
  vpinsrb xmm7,xmm7,[r10+rsi+9],9
L14:
  test eax,400h
  je L15
  vpinsrb xmm7,xmm7,[r10+rsi+0Ah],0Ah
L15:
  test eax,800h
  je L16
  vpinsrb xmm7,xmm7,[r10+rsi+0Bh],0Bh
L16:
  test eax,1000h
  je L17
  vpinsrb xmm7,xmm7,[r10+rsi+0Ch],0Ch
L17:
  test eax,2000h
  je L18
  vpinsrb xmm7,xmm7,[r10+rsi+0Dh],0Dh
L18:
  test eax,4000h
  je L19
  vpinsrb xmm7,xmm7,[r10+rsi+0Eh],0Eh
L19:
  test eax,8000h
  je L20
  vpinsrb xmm7,xmm7,[r10+rsi+0Fh],0Fh
L20:
  vpsrldq xmm6,xmm7,8
  vpmovzxbd ymm7,xmm7
  vpmovzxbd ymm6,xmm6
  vmovdqu ymm13,[rbp+0E0h]
  vpand ymm7,ymm7,ymm13
  vmovdqu ymm14,[rbp+0C0h]
  vpand ymm6,ymm6,ymm14
  vpbroadcastq ymm15,[rbp+10h]
  vmovdqa ymm3,ymm15
  vpackssdw ymm2,ymm13,ymm14
  vpacksswb ymm2,ymm2,ymm2
  vmovdqu ymm15,[rbp+68h]
  vpermd ymm2,ymm15,ymm2
  vpmovmskb eax,xmm2
  test eax,1
  je L21
  vpinsrb xmm3,xmm3,[r11+rsi],0
L21:
  test eax,2
  je L22
  vpinsrb xmm3,xmm3,[r11+rsi+1],1
L22:
  test eax,4
  je L23
  vpinsrb xmm3,xmm3,[r11+rsi+2],2
L23:
  test eax,8
  je L24
  vpinsrb xmm3,xmm3,[r11+rsi+3],3
L24:
  test eax,10h
  je L25
  vpinsrb xmm3,xmm3,[r11+rsi+4],4
L25:
  test eax,20h
  je L26
  vpinsrb xmm3,xmm3,[r11+rsi+5],5
L26:
  test eax,40h
  je L27
  vpinsrb xmm3,xmm3,[r11+rsi+6],6
L27:
  test eax,80h
  je L28
  vpinsrb xmm3,xmm3,[r11+rsi+7],7
L28:
  test eax,100h
  je L29
  vpinsrb xmm3,xmm3,[r11+rsi+8],8
L29:
  test eax,200h
  je L30
  vpinsrb xmm3,xmm3,[r11+rsi+9],9
L30:
  test eax,400h
  je L31
  vpinsrb xmm3,xmm3,[r11+rsi+0Ah],0Ah
L31:
  test eax,800h
  je L32
  vpinsrb xmm3,xmm3,[r11+rsi+0Bh],0Bh
L32:
  test eax,1000h
  je L33
  vpinsrb xmm3,xmm3,[r11+rsi+0Ch],0Ch
L33:
  test eax,2000h
  je L34
  vpinsrb xmm3,xmm3,[r11+rsi+0Dh],0Dh
L34:
  test eax,4000h
  je L35
  vpinsrb xmm3,xmm3,[r11+rsi+0Eh],0Eh
L35:
  test eax,8000h
  je L36
  vpinsrb xmm3,xmm3,[r11+rsi+0Fh],0Fh
L36:
  vpsrldq xmm2,xmm3,8
  vpmovzxbd ymm3,xmm3
  vpmovzxbd ymm2,xmm2
  vmovdqu ymm13,[rbp+0E0h]
  vpand ymm3,ymm3,ymm13
  vmovdqu ymm14,[rbp+0C0h]
  vpand ymm2,ymm2,ymm14
  vpcmpeqd ymm8,ymm7,ymm3
  vpcmpeqd ymm9,ymm6,ymm2
  vpor ymm8,ymm4,ymm8
  vpor ymm9,ymm5,ymm9
  vpbroadcastq ymm15,[rbp+8]
  vpxor ymm7,ymm7,ymm15
  vpxor ymm6,ymm6,ymm15
  vpxor ymm3,ymm3,ymm15
  vpxor ymm2,ymm2,ymm15
  vpcmpgtd ymm3,ymm3,ymm7
  vpcmpgtd ymm2,ymm2,ymm6
  vpor ymm3,ymm8,ymm3
  vpor ymm2,ymm9,ymm2
  vextracti128 xmm9,ymm13,1
  vpmovsxdq ymm8,xmm13
  vpmovsxdq ymm9,xmm9
  vpmaskmovq ymm6,ymm8,[r12+rsi*8]
  vpmaskmovq ymm7,ymm9,[r12+rsi*8+20h]
  vextracti128 xmm5,ymm14,1
  vpmovsxdq ymm4,xmm14
  vpmovsxdq ymm5,xmm5
  vpmaskmovq ymm10,ymm4,[r12+rsi*8+40h]
  vpmaskmovq ymm11,ymm5,[r12+rsi*8+60h]
  vpmaskmovq ymm8,ymm8,[r13+rsi*8]
  vpmaskmovq ymm9,ymm9,[r13+rsi*8+20h]
  vpmaskmovq ymm4,ymm4,[r13+rsi*8+40h]
  vpmaskmovq ymm5,ymm5,[r13+rsi*8+60h]
  vpcmpeqq ymm12,ymm6,ymm8
  vpcmpeqq ymm0,ymm7,ymm9
  vshufps ymm12,ymm12,ymm0,88h
  vpermq ymm12,ymm12,0D8h
  vpcmpeqq ymm0,ymm10,ymm4
  vpcmpeqq ymm1,ymm11,ymm5
  vshufps ymm0,ymm0,ymm1,88h
  vpermq ymm0,ymm0,0D8h
  vpor ymm12,ymm3,ymm12
  vpor ymm0,ymm2,ymm0
  vpbroadcastq ymm15,[rbp+18h]
  vpxor ymm6,ymm6,ymm15
  vpxor ymm7,ymm7,ymm15
  vpxor ymm8,ymm8,ymm15
  vpxor ymm9,ymm9,ymm15
  vpcmpgtq ymm8,ymm8,ymm6
  vpcmpgtq ymm9,ymm9,ymm7
  vshufps ymm9,ymm8,ymm9,88h
  vpermq ymm9,ymm9,0D8h
  vpxor ymm10,ymm10,ymm15
  vpxor ymm11,ymm11,ymm15
  vpxor ymm4,ymm4,ymm15
  vpxor ymm5,ymm5,ymm15
  vpcmpgtq ymm4,ymm4,ymm10
  vpcmpgtq ymm5,ymm5,ymm11
  vshufps ymm5,ymm4,ymm5,88h
  vpermq ymm5,ymm5,0D8h
  vpor ymm9,ymm12,ymm9
  vpor ymm5,ymm0,ymm5
  vpand ymm9,ymm9,ymm13
  vpand ymm5,ymm5,ymm14
  mov r14,[rdi+98h]
  vpackssdw ymm5,ymm9,ymm5
  vpacksswb ymm5,ymm5,ymm5
  vmovdqu ymm15,[rbp+68h]
  vpermd ymm5,ymm15,ymm5
  vpmovmskb eax,xmm5
  mov [r14+rdx],al
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L37
  shr eax,8
  mov [r14+rdx+1],al
L37:
  jmp L38
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L38:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
