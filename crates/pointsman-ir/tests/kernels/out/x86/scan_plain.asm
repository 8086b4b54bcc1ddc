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
  xor esi,esi
  xor edx,edx
  xor r15d,r15d
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L2
  nop [rax+rax]
  nop [rax]
L1:
  vpmovzxbd zmm0,[r8+rsi]
  vpmovdb [r9+rsi],zmm0
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
  vpmovzxbd zmm0{k1}{z},[r8+rsi]
  vpmovdb [r9+rsi]{k1},zmm0
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
  times 1 dq 0x000000ff000000ff
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
  times 2 dq 0x0000000000000000
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
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L2
  vpbroadcastq ymm0,[rbp]
  vmovdqu ymm1,[rbp+8]
  nop [rax+rax]
L1:
  vpmovzxbd ymm2,[r8+rsi]
  vpmovzxbd ymm3,[r8+rsi+8]
  vpand ymm2,ymm2,ymm0
  vpand ymm3,ymm3,ymm0
  vpackusdw ymm3,ymm2,ymm3
  vpackuswb ymm3,ymm3,ymm3
  vpermd ymm3,ymm1,ymm3
  vmovdqu [r9+rsi],xmm3
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L35
  vmovdqu ymm0,[rbp+28h]
  vmovdqu ymm1,[rbp+48h]
  vpbroadcastq ymm2,[rbp+68h]
  vmovdqu ymm3,[rbp+8]
  vpbroadcastq ymm4,[rbp]
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
  vmovdqa ymm7,ymm2
  vpackssdw ymm8,ymm6,ymm5
  vpacksswb ymm8,ymm8,ymm8
  vpermd ymm8,ymm3,ymm8
  vpmovmskb eax,xmm8
  test eax,1
  je L3
  vpinsrb xmm7,xmm7,[r8+rsi],0
L3:
  test eax,2
  je L4
  vpinsrb xmm7,xmm7,[r8+rsi+1],1
L4:
  test eax,4
  je L5
  vpinsrb xmm7,xmm7,[r8+rsi+2],2
L5:
  test eax,8
  je L6
  vpinsrb xmm7,xmm7,[r8+rsi+3],3
L6:
  test eax,10h
  je L7
  vpinsrb xmm7,xmm7,[r8+rsi+4],4
L7:
  test eax,20h
  je L8
  vpinsrb xmm7,xmm7,[r8+rsi+5],5
L8:
  test eax,40h
  je L9
  vpinsrb xmm7,xmm7,[r8+rsi+6],6
L9:
  test eax,80h
  je L10
  vpinsrb xmm7,xmm7,[r8+rsi+7],7
L10:
  test eax,100h
  je L11
  vpinsrb xmm7,xmm7,[r8+rsi+8],8
L11:
  test eax,200h
  je L12
  vpinsrb xmm7,xmm7,[r8+rsi+9],9
L12:
  test eax,400h
  je L13
  vpinsrb xmm7,xmm7,[r8+rsi+0Ah],0Ah
L13:
  test eax,800h
  je L14
  vpinsrb xmm7,xmm7,[r8+rsi+0Bh],0Bh
L14:
  test eax,1000h
  je L15
  vpinsrb xmm7,xmm7,[r8+rsi+0Ch],0Ch
L15:
  test eax,2000h
  je L16
  vpinsrb xmm7,xmm7,[r8+rsi+0Dh],0Dh
L16:
  test eax,4000h
  je L17
  vpinsrb xmm7,xmm7,[r8+rsi+0Eh],0Eh
L17:
  test eax,8000h
  je L18
  vpinsrb xmm7,xmm7,[r8+rsi+0Fh],0Fh
L18:
  vpsrldq xmm8,xmm7,8
  vpmovzxbd ymm7,xmm7
  vpmovzxbd ymm8,xmm8
  vpand ymm7,ymm7,ymm6
  vpand ymm8,ymm8,ymm5
  vpand ymm7,ymm7,ymm4
  vpand ymm8,ymm8,ymm4
  vpackusdw ymm8,ymm7,ymm8
  vpackuswb ymm8,ymm8,ymm8
  vpermd ymm8,ymm3,ymm8
  vpackssdw ymm5,ymm6,ymm5
  vpacksswb ymm5,ymm5,ymm5
  vpermd ymm5,ymm3,ymm5
  vpmovmskb eax,xmm5
  test eax,1
  je L19
  vpextrb [r9+rsi],xmm8,0
L19:
  test eax,2
  je L20
  vpextrb [r9+rsi+1],xmm8,1
L20:
  test eax,4
  je L21
  vpextrb [r9+rsi+2],xmm8,2
L21:
  test eax,8
  je L22
  vpextrb [r9+rsi+3],xmm8,3
L22:
  test eax,10h
  je L23
  vpextrb [r9+rsi+4],xmm8,4
L23:
  test eax,20h
  je L24
  vpextrb [r9+rsi+5],xmm8,5
L24:
  test eax,40h
  je L25
  vpextrb [r9+rsi+6],xmm8,6
L25:
  test eax,80h
  je L26
  vpextrb [r9+rsi+7],xmm8,7
L26:
  test eax,100h
  je L27
  vpextrb [r9+rsi+8],xmm8,8
L27:
  test eax,200h
  je L28
  vpextrb [r9+rsi+9],xmm8,9
L28:
  test eax,400h
  je L29
  vpextrb [r9+rsi+0Ah],xmm8,0Ah
L29:
  test eax,800h
  je L30
  vpextrb [r9+rsi+0Bh],xmm8,0Bh
L30:
  test eax,1000h
  je L31
  vpextrb [r9+rsi+0Ch],xmm8,0Ch
L31:
  test eax,2000h
  je L32
  vpextrb [r9+rsi+0Dh],xmm8,0Dh
L32:
  test eax,4000h
  je L33
  vpextrb [r9+rsi+0Eh],xmm8,0Eh
L33:
  test eax,8000h
  je L34
  vpextrb [r9+rsi+0Fh],xmm8,0Fh
L34:
  jmp L35
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L35:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
