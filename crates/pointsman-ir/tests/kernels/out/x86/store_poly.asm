; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0x3f0000003f000000
  times 1 dq 0x4040000040400000
  times 1 dq 0x3f8000003f800000
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
  vpbroadcastq zmm2,[rbp+10h]
  vpbroadcastq zmm3,[rbp+18h]
  vpbroadcastq zmm4,[rbp+20h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax]
L1:
  vmovdqu32 zmm5,[r8+rsi*4]
  vmulps zmm6,zmm5,zmm5
  vmulps zmm6,zmm6,zmm0
  vmulps zmm5,zmm5,zmm1
  vaddps zmm5,zmm6,zmm5
  vsubps zmm5,zmm5,zmm2
  vmovdqa64 zmm6,zmm3
  vfixupimmps zmm6,zmm5,zmm4,0
  vmovntdq [r9+rsi*4],zmm6
  add rsi,10h
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
  vpbroadcastq zmm2,[rbp+10h]
  vpbroadcastq zmm3,[rbp+18h]
  vpbroadcastq zmm4,[rbp+20h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu32 zmm5,[r8+rsi*4]
  vmulps zmm6,zmm5,zmm5
  vmulps zmm6,zmm6,zmm0
  vmulps zmm5,zmm5,zmm1
  vaddps zmm5,zmm6,zmm5
  vsubps zmm5,zmm5,zmm2
  vmovdqa64 zmm6,zmm3
  vfixupimmps zmm6,zmm5,zmm4,0
  vmovdqu32 [r9+rsi*4],zmm6
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L5
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  vpbroadcastq zmm2,[rbp+10h]
  vpbroadcastq zmm3,[rbp+18h]
  vpbroadcastq zmm4,[rbp+20h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu32 zmm5{k1}{z},[r8+rsi*4]
  vmulps zmm6,zmm5,zmm5
  vmulps zmm6,zmm6,zmm0
  vmulps zmm5,zmm5,zmm1
  vaddps zmm5,zmm6,zmm5
  vsubps zmm5,zmm5,zmm2
  vmovdqa64 zmm6,zmm3
  vfixupimmps zmm6,zmm5,zmm4,0
  vmovdqu32 [r9+rsi*4]{k1},zmm6
  jmp L5
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L5:
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
  times 1 dq 0x3f0000003f000000
  times 1 dq 0x4040000040400000
  times 1 dq 0x3f8000003f800000
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
  vpbroadcastq ymm2,[rbp+10h]
  vpbroadcastq ymm3,[rbp+18h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vmovdqu ymm4,[r8+rsi*4]
  vmovdqu ymm5,[r8+rsi*4+20h]
  vmulps ymm6,ymm4,ymm4
  vmulps ymm7,ymm5,ymm5
  vmulps ymm6,ymm6,ymm0
  vmulps ymm7,ymm7,ymm0
  vmulps ymm4,ymm4,ymm1
  vmulps ymm5,ymm5,ymm1
  vaddps ymm4,ymm6,ymm4
  vaddps ymm5,ymm7,ymm5
  vsubps ymm4,ymm4,ymm2
  vsubps ymm5,ymm5,ymm2
  vcmpunordps ymm7,ymm4,ymm4
  vpblendvb ymm7,ymm4,ymm3,ymm7
  vcmpunordps ymm4,ymm5,ymm5
  vpblendvb ymm4,ymm5,ymm3,ymm4
  vmovntdq [r9+rsi*4],ymm7
  vmovntdq [r9+rsi*4+20h],ymm4
  add rsi,10h
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
  vpbroadcastq ymm2,[rbp+10h]
  vpbroadcastq ymm3,[rbp+18h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu ymm4,[r8+rsi*4]
  vmovdqu ymm5,[r8+rsi*4+20h]
  vmulps ymm6,ymm4,ymm4
  vmulps ymm7,ymm5,ymm5
  vmulps ymm6,ymm6,ymm0
  vmulps ymm7,ymm7,ymm0
  vmulps ymm4,ymm4,ymm1
  vmulps ymm5,ymm5,ymm1
  vaddps ymm4,ymm6,ymm4
  vaddps ymm5,ymm7,ymm5
  vsubps ymm4,ymm4,ymm2
  vsubps ymm5,ymm5,ymm2
  vcmpunordps ymm7,ymm4,ymm4
  vpblendvb ymm7,ymm4,ymm3,ymm7
  vcmpunordps ymm4,ymm5,ymm5
  vpblendvb ymm4,ymm5,ymm3,ymm4
  vmovdqu [r9+rsi*4],ymm7
  vmovdqu [r9+rsi*4+20h],ymm4
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L5
  vmovdqu ymm0,[rbp+28h]
  vmovdqu ymm1,[rbp+48h]
  vpbroadcastq ymm2,[rbp]
  vpbroadcastq ymm3,[rbp+8]
  vpbroadcastq ymm4,[rbp+10h]
  vpbroadcastq ymm5,[rbp+18h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm6,ebx
  vpbroadcastw ymm6,xmm6
  vpand ymm7,ymm6,ymm0
  vpcmpeqd ymm7,ymm7,ymm0
  vpand ymm6,ymm6,ymm1
  vpcmpeqd ymm6,ymm6,ymm1
  vpmaskmovd ymm8,ymm7,[r8+rsi*4]
  vpmaskmovd ymm9,ymm6,[r8+rsi*4+20h]
  vmulps ymm10,ymm8,ymm8
  vmulps ymm11,ymm9,ymm9
  vmulps ymm10,ymm10,ymm2
  vmulps ymm11,ymm11,ymm2
  vmulps ymm8,ymm8,ymm3
  vmulps ymm9,ymm9,ymm3
  vaddps ymm8,ymm10,ymm8
  vaddps ymm9,ymm11,ymm9
  vsubps ymm8,ymm8,ymm4
  vsubps ymm9,ymm9,ymm4
  vcmpunordps ymm11,ymm8,ymm8
  vpblendvb ymm11,ymm8,ymm5,ymm11
  vcmpunordps ymm8,ymm9,ymm9
  vpblendvb ymm8,ymm9,ymm5,ymm8
  vpmaskmovd [r9+rsi*4],ymm7,ymm11
  vpmaskmovd [r9+rsi*4+20h],ymm6,ymm8
  jmp L5
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L5:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
