; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0x000000000000ffff
  push rbx
  push rbp
  push r12
  push r13
  push r14
  push r15
  mov rcx,[rdi]
  mov rbp,[rdi+10h]
  xor esi,esi
  xor edx,edx
  xor r15d,r15d
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L2
  kmovw k1,[rbp]
  nop [rax+rax]
  nop [rax+rax]
  nop
L1:
  kmovw eax,k1
  popcnt eax,eax
  add r15,rax
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L3
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  kmovw eax,k1
  popcnt eax,eax
  add r15,rax
  jmp L3
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L3:
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
  times 1 dq 0x000000000000ffff
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
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
  xor esi,esi
  xor edx,edx
  xor r15d,r15d
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L2
  vpbroadcastw ymm0,[rbp]
  vmovdqu ymm1,[rbp+8]
  nop [rax+rax]
  nop [rax]
L1:
  vpackssdw ymm2,ymm0,ymm0
  vpacksswb ymm2,ymm2,ymm2
  vpermd ymm2,ymm1,ymm2
  vpmovmskb eax,xmm2
  popcnt eax,eax
  add r15,rax
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L3
  vmovdqu ymm0,[rbp+28h]
  vmovdqu ymm1,[rbp+48h]
  vmovdqu ymm2,[rbp+8]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm3,ebx
  vpbroadcastw ymm3,xmm3
  vpand ymm4,ymm3,ymm0
  vpcmpeqd ymm4,ymm4,ymm0
  vpand ymm3,ymm3,ymm1
  vpcmpeqd ymm3,ymm3,ymm1
  vpackssdw ymm3,ymm4,ymm3
  vpacksswb ymm3,ymm3,ymm3
  vpermd ymm3,ymm2,ymm3
  vpmovmskb eax,xmm3
  popcnt eax,eax
  add r15,rax
  jmp L3
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L3:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
