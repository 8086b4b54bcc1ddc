; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0x8000000080000000
  times 1 dq 0x3effffff3effffff
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
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop
L1:
  vmovdqu32 zmm4,[r8+rsi*4]
  vrndscaleps zmm5,zmm4,9
  vrndscaleps zmm6,zmm4,0Ah
  vpandq zmm7,zmm4,zmm0
  vporq zmm7,zmm1,zmm7
  vaddps zmm7,zmm4,zmm7
  vrndscaleps zmm7,zmm7,0Bh
  vrndscaleps zmm4,zmm4,0Bh
  vaddps zmm6,zmm5,zmm6
  vaddps zmm6,zmm6,zmm7
  vaddps zmm6,zmm6,zmm4
  vmovdqa64 zmm4,zmm2
  vfixupimmps zmm4,zmm6,zmm3,0
  vmovntdq [r9+rsi*4],zmm4
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
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu32 zmm4,[r8+rsi*4]
  vrndscaleps zmm5,zmm4,9
  vrndscaleps zmm6,zmm4,0Ah
  vpandq zmm7,zmm4,zmm0
  vporq zmm7,zmm1,zmm7
  vaddps zmm7,zmm4,zmm7
  vrndscaleps zmm7,zmm7,0Bh
  vrndscaleps zmm4,zmm4,0Bh
  vaddps zmm6,zmm5,zmm6
  vaddps zmm6,zmm6,zmm7
  vaddps zmm6,zmm6,zmm4
  vmovdqa64 zmm4,zmm2
  vfixupimmps zmm4,zmm6,zmm3,0
  vmovdqu32 [r9+rsi*4],zmm4
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
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu32 zmm4{k1}{z},[r8+rsi*4]
  vrndscaleps zmm5,zmm4,9
  vrndscaleps zmm6,zmm4,0Ah
  vpandq zmm7,zmm4,zmm0
  vporq zmm7,zmm1,zmm7
  vaddps zmm7,zmm4,zmm7
  vrndscaleps zmm7,zmm7,0Bh
  vrndscaleps zmm4,zmm4,0Bh
  vaddps zmm6,zmm5,zmm6
  vaddps zmm6,zmm6,zmm7
  vaddps zmm6,zmm6,zmm4
  vmovdqa64 zmm4,zmm2
  vfixupimmps zmm4,zmm6,zmm3,0
  vmovdqu32 [r9+rsi*4]{k1},zmm4
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
  times 1 dq 0x8000000080000000
  times 1 dq 0x3effffff3effffff
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
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  xchg ax,ax
L1:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  vroundps ymm5,ymm3,9
  vroundps ymm6,ymm4,9
  vroundps ymm7,ymm3,0Ah
  vroundps ymm8,ymm4,0Ah
  vpand ymm9,ymm3,ymm0
  vpand ymm10,ymm4,ymm0
  vpor ymm9,ymm1,ymm9
  vpor ymm10,ymm1,ymm10
  vaddps ymm9,ymm3,ymm9
  vaddps ymm10,ymm4,ymm10
  vroundps ymm9,ymm9,0Bh
  vroundps ymm10,ymm10,0Bh
  vroundps ymm3,ymm3,0Bh
  vroundps ymm4,ymm4,0Bh
  vaddps ymm7,ymm5,ymm7
  vaddps ymm8,ymm6,ymm8
  vaddps ymm7,ymm7,ymm9
  vaddps ymm8,ymm8,ymm10
  vaddps ymm7,ymm7,ymm3
  vaddps ymm8,ymm8,ymm4
  vcmpunordps ymm4,ymm7,ymm7
  vpblendvb ymm4,ymm7,ymm2,ymm4
  vcmpunordps ymm7,ymm8,ymm8
  vpblendvb ymm7,ymm8,ymm2,ymm7
  vmovntdq [r9+rsi*4],ymm4
  vmovntdq [r9+rsi*4+20h],ymm7
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
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  vroundps ymm5,ymm3,9
  vroundps ymm6,ymm4,9
  vroundps ymm7,ymm3,0Ah
  vroundps ymm8,ymm4,0Ah
  vpand ymm9,ymm3,ymm0
  vpand ymm10,ymm4,ymm0
  vpor ymm9,ymm1,ymm9
  vpor ymm10,ymm1,ymm10
  vaddps ymm9,ymm3,ymm9
  vaddps ymm10,ymm4,ymm10
  vroundps ymm9,ymm9,0Bh
  vroundps ymm10,ymm10,0Bh
  vroundps ymm3,ymm3,0Bh
  vroundps ymm4,ymm4,0Bh
  vaddps ymm7,ymm5,ymm7
  vaddps ymm8,ymm6,ymm8
  vaddps ymm7,ymm7,ymm9
  vaddps ymm8,ymm8,ymm10
  vaddps ymm7,ymm7,ymm3
  vaddps ymm8,ymm8,ymm4
  vcmpunordps ymm4,ymm7,ymm7
  vpblendvb ymm4,ymm7,ymm2,ymm4
  vcmpunordps ymm7,ymm8,ymm8
  vpblendvb ymm7,ymm8,ymm2,ymm7
  vmovdqu [r9+rsi*4],ymm4
  vmovdqu [r9+rsi*4+20h],ymm7
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L5
  vmovdqu ymm0,[rbp+20h]
  vmovdqu ymm1,[rbp+40h]
  vpbroadcastq ymm2,[rbp]
  vpbroadcastq ymm3,[rbp+8]
  vpbroadcastq ymm4,[rbp+10h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm5,ebx
  vpbroadcastw ymm5,xmm5
  vpand ymm6,ymm5,ymm0
  vpcmpeqd ymm6,ymm6,ymm0
  vpand ymm5,ymm5,ymm1
  vpcmpeqd ymm5,ymm5,ymm1
  vpmaskmovd ymm7,ymm6,[r8+rsi*4]
  vpmaskmovd ymm8,ymm5,[r8+rsi*4+20h]
  vroundps ymm9,ymm7,9
  vroundps ymm10,ymm8,9
  vroundps ymm11,ymm7,0Ah
  vroundps ymm12,ymm8,0Ah
  vpand ymm13,ymm7,ymm2
  vpand ymm14,ymm8,ymm2
  vpor ymm13,ymm3,ymm13
  vpor ymm14,ymm3,ymm14
  vaddps ymm13,ymm7,ymm13
  vaddps ymm14,ymm8,ymm14
  vroundps ymm13,ymm13,0Bh
  vroundps ymm14,ymm14,0Bh
  vroundps ymm7,ymm7,0Bh
  vroundps ymm8,ymm8,0Bh
  vaddps ymm11,ymm9,ymm11
  vaddps ymm12,ymm10,ymm12
  vaddps ymm11,ymm11,ymm13
  vaddps ymm12,ymm12,ymm14
  vaddps ymm11,ymm11,ymm7
  vaddps ymm12,ymm12,ymm8
  vcmpunordps ymm8,ymm11,ymm11
  vpblendvb ymm8,ymm11,ymm4,ymm8
  vcmpunordps ymm11,ymm12,ymm12
  vpblendvb ymm11,ymm12,ymm4,ymm11
  vpmaskmovd [r9+rsi*4],ymm6,ymm8
  vpmaskmovd [r9+rsi*4+20h],ymm5,ymm11
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
