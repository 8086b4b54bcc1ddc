; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0x7fc000007fc00000
  times 1 dq 0x1111110011111100
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
  mov r12,[rdi+40h]
  mov r13,[rdi+60h]
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
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vmovdqu32 zmm2,[r8+rsi*4]
  kmovw k1,[r12+rdx]
  vcmpunordps k2,zmm2,zmm2
  vpblendmd zmm2{k2},zmm2,zmm0
  vmovdqu32 zmm3,[r9+rsi*4]
  vmovdqa32 zmm2{k1}{z},zmm2
  vmovntdq [r10+rsi*4],zmm2
  kmovw [r13+rdx],k1
  vmovdqa64 zmm2,zmm0
  vfixupimmps zmm2,zmm3,zmm1,0
  vmovntdq [r11+rsi*4],zmm2
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
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu32 zmm2,[r8+rsi*4]
  kmovw k1,[r12+rdx]
  vcmpunordps k2,zmm2,zmm2
  vpblendmd zmm2{k2},zmm2,zmm0
  vmovdqu32 zmm3,[r9+rsi*4]
  vmovdqa32 zmm2{k1}{z},zmm2
  vmovdqu32 [r10+rsi*4],zmm2
  kmovw [r13+rdx],k1
  vmovdqa64 zmm2,zmm0
  vfixupimmps zmm2,zmm3,zmm1,0
  vmovdqu32 [r11+rsi*4],zmm2
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L7
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu32 zmm2{k1}{z},[r8+rsi*4]
  movzx eax,byte ptr [r12+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r12+rdx]
L5:
  kmovw k2,eax
  vcmpunordps k3,zmm2,zmm2
  vpblendmd zmm2{k3},zmm2,zmm0
  vmovdqu32 zmm3{k1}{z},[r9+rsi*4]
  vmovdqa32 zmm2{k2}{z},zmm2
  vmovdqu32 [r10+rsi*4]{k1},zmm2
  kandw k3,k2,k1
  kmovw eax,k3
  mov [r13+rdx],al
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L6
  shr eax,8
  mov [r13+rdx+1],al
L6:
  vmovdqa64 zmm2,zmm0
  vfixupimmps zmm2,zmm3,zmm1,0
  vmovdqu32 [r11+rsi*4]{k1},zmm2
  jmp L7
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L7:
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
; scratch memory: 128 bytes, starting with
  times 1 dq 0x7fc000007fc00000
  times 1 dq 0x1111110011111100
  times 1 dq 0x0000000200000001
  times 1 dq 0x0000000800000004
  times 1 dq 0x0000002000000010
  times 1 dq 0x0000008000000040
  times 1 dq 0x0000020000000100
  times 1 dq 0x0000080000000400
  times 1 dq 0x0000200000001000
  times 1 dq 0x0000800000004000
  times 1 dq 0x0000000000000000
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
  mov r12,[rdi+40h]
  mov r13,[rdi+60h]
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
  vmovdqu ymm0,[rbp+10h]
  vmovdqu ymm1,[rbp+30h]
  vpbroadcastq ymm2,[rbp]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  vpbroadcastw ymm5,[r12+rdx]
  vpand ymm6,ymm5,ymm0
  vpcmpeqd ymm6,ymm6,ymm0
  vpand ymm5,ymm5,ymm1
  vpcmpeqd ymm5,ymm5,ymm1
  vcmpunordps ymm7,ymm3,ymm3
  vcmpunordps ymm8,ymm4,ymm4
  vpblendvb ymm7,ymm3,ymm2,ymm7
  vpblendvb ymm8,ymm4,ymm2,ymm8
  vmovdqu ymm4,[r9+rsi*4]
  vmovdqu ymm3,[r9+rsi*4+20h]
  vpand ymm7,ymm7,ymm6
  vpand ymm8,ymm8,ymm5
  vmovntdq [r10+rsi*4],ymm7
  vmovntdq [r10+rsi*4+20h],ymm8
  vmovmskps eax,ymm6
  mov [r13+rdx],al
  vmovmskps eax,ymm5
  mov [r13+rdx+1],al
  vcmpunordps ymm8,ymm4,ymm4
  vpblendvb ymm8,ymm4,ymm2,ymm8
  vcmpunordps ymm4,ymm3,ymm3
  vpblendvb ymm4,ymm3,ymm2,ymm4
  vmovntdq [r11+rsi*4],ymm8
  vmovntdq [r11+rsi*4+20h],ymm4
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
  vmovdqu ymm0,[rbp+10h]
  vmovdqu ymm1,[rbp+30h]
  vpbroadcastq ymm2,[rbp]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  vpbroadcastw ymm5,[r12+rdx]
  vpand ymm6,ymm5,ymm0
  vpcmpeqd ymm6,ymm6,ymm0
  vpand ymm5,ymm5,ymm1
  vpcmpeqd ymm5,ymm5,ymm1
  vcmpunordps ymm7,ymm3,ymm3
  vcmpunordps ymm8,ymm4,ymm4
  vpblendvb ymm7,ymm3,ymm2,ymm7
  vpblendvb ymm8,ymm4,ymm2,ymm8
  vmovdqu ymm4,[r9+rsi*4]
  vmovdqu ymm3,[r9+rsi*4+20h]
  vpand ymm7,ymm7,ymm6
  vpand ymm8,ymm8,ymm5
  vmovdqu [r10+rsi*4],ymm7
  vmovdqu [r10+rsi*4+20h],ymm8
  vmovmskps eax,ymm6
  mov [r13+rdx],al
  vmovmskps eax,ymm5
  mov [r13+rdx+1],al
  vcmpunordps ymm8,ymm4,ymm4
  vpblendvb ymm8,ymm4,ymm2,ymm8
  vcmpunordps ymm4,ymm3,ymm3
  vpblendvb ymm4,ymm3,ymm2,ymm4
  vmovdqu [r11+rsi*4],ymm8
  vmovdqu [r11+rsi*4+20h],ymm4
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L7
  vmovdqu ymm0,[rbp+10h]
  vmovdqu ymm1,[rbp+30h]
  vpbroadcastq ymm2,[rbp]
  vmovdqu ymm3,[rbp+58h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm4,ebx
  vpbroadcastw ymm4,xmm4
  vpand ymm5,ymm4,ymm0
  vpcmpeqd ymm5,ymm5,ymm0
  vpand ymm4,ymm4,ymm1
  vpcmpeqd ymm4,ymm4,ymm1
  vpmaskmovd ymm6,ymm5,[r8+rsi*4]
  vpmaskmovd ymm7,ymm4,[r8+rsi*4+20h]
  movzx eax,byte ptr [r12+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r12+rdx]
L5:
  vmovd xmm8,eax
  vpbroadcastw ymm8,xmm8
  vpand ymm9,ymm8,ymm0
  vpcmpeqd ymm9,ymm9,ymm0
  vpand ymm8,ymm8,ymm1
  vpcmpeqd ymm8,ymm8,ymm1
  vcmpunordps ymm10,ymm6,ymm6
  vcmpunordps ymm11,ymm7,ymm7
  vpblendvb ymm10,ymm6,ymm2,ymm10
  vpblendvb ymm11,ymm7,ymm2,ymm11
  vpmaskmovd ymm7,ymm5,[r9+rsi*4]
  vpmaskmovd ymm6,ymm4,[r9+rsi*4+20h]
  vpand ymm10,ymm10,ymm9
  vpand ymm11,ymm11,ymm8
  vpmaskmovd [r10+rsi*4],ymm5,ymm10
  vpmaskmovd [r10+rsi*4+20h],ymm4,ymm11
  vpand ymm11,ymm9,ymm5
  vpand ymm8,ymm8,ymm4
  vpackssdw ymm8,ymm11,ymm8
  vpacksswb ymm8,ymm8,ymm8
  vpermd ymm8,ymm3,ymm8
  vpmovmskb eax,xmm8
  mov [r13+rdx],al
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L6
  shr eax,8
  mov [r13+rdx+1],al
L6:
  vcmpunordps ymm8,ymm7,ymm7
  vpblendvb ymm8,ymm7,ymm2,ymm8
  vcmpunordps ymm7,ymm6,ymm6
  vpblendvb ymm7,ymm6,ymm2,ymm7
  vpmaskmovd [r11+rsi*4],ymm5,ymm8
  vpmaskmovd [r11+rsi*4+20h],ymm4,ymm7
  jmp L7
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L7:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
