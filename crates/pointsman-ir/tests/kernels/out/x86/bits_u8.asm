; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0xffffffffffffffff
  times 1 dq 0x000000ff000000ff
  times 1 dq 0x0000000700000007
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
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax]
L1:
  vpmovzxbd zmm3,[r8+rsi]
  vpmovzxbd zmm4,[r9+rsi]
  vpandq zmm5,zmm3,zmm4
  vporq zmm6,zmm3,zmm4
  vpxorq zmm7,zmm3,zmm0
  vpandq zmm7,zmm7,zmm1
  vpandq zmm8,zmm4,zmm2
  vpsllvd zmm8,zmm3,zmm8
  vpandq zmm8,zmm8,zmm1
  vpandq zmm4,zmm4,zmm2
  vpsrlvd zmm4,zmm3,zmm4
  vpandq zmm4,zmm4,zmm1
  vpxorq zmm6,zmm5,zmm6
  vpxorq zmm6,zmm6,zmm7
  vpxorq zmm6,zmm6,zmm8
  vpxorq zmm6,zmm6,zmm4
  vpmovdb [r10+rsi],zmm6
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
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop
L3:
  vpmovzxbd zmm3,[r8+rsi]
  vpmovzxbd zmm4,[r9+rsi]
  vpandq zmm5,zmm3,zmm4
  vporq zmm6,zmm3,zmm4
  vpxorq zmm7,zmm3,zmm0
  vpandq zmm7,zmm7,zmm1
  vpandq zmm8,zmm4,zmm2
  vpsllvd zmm8,zmm3,zmm8
  vpandq zmm8,zmm8,zmm1
  vpandq zmm4,zmm4,zmm2
  vpsrlvd zmm4,zmm3,zmm4
  vpandq zmm4,zmm4,zmm1
  vpxorq zmm6,zmm5,zmm6
  vpxorq zmm6,zmm6,zmm7
  vpxorq zmm6,zmm6,zmm8
  vpxorq zmm6,zmm6,zmm4
  vpmovdb [r10+rsi],zmm6
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L5
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  vpbroadcastq zmm2,[rbp+10h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vpmovzxbd zmm3{k1}{z},[r8+rsi]
  vpmovzxbd zmm4{k1}{z},[r9+rsi]
  vpandq zmm5,zmm3,zmm4
  vporq zmm6,zmm3,zmm4
  vpxorq zmm7,zmm3,zmm0
  vpandq zmm7,zmm7,zmm1
  vpandq zmm8,zmm4,zmm2
  vpsllvd zmm8,zmm3,zmm8
  vpandq zmm8,zmm8,zmm1
  vpandq zmm4,zmm4,zmm2
  vpsrlvd zmm4,zmm3,zmm4
  vpandq zmm4,zmm4,zmm1
  vpxorq zmm6,zmm5,zmm6
  vpxorq zmm6,zmm6,zmm7
  vpxorq zmm6,zmm6,zmm8
  vpxorq zmm6,zmm6,zmm4
  vpmovdb [r10+rsi]{k1},zmm6
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
; scratch memory: 224 bytes, starting with
  times 1 dq 0xffffffffffffffff
  times 1 dq 0x000000ff000000ff
  times 1 dq 0x0000000700000007
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
  mov r10,[rdi+58h]
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
  vmovdqu ymm3,[rbp+18h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  xchg ax,ax
L1:
  vpmovzxbd ymm4,[r8+rsi]
  vpmovzxbd ymm5,[r8+rsi+8]
  vpmovzxbd ymm6,[r9+rsi]
  vpmovzxbd ymm7,[r9+rsi+8]
  vpand ymm8,ymm4,ymm6
  vpand ymm9,ymm5,ymm7
  vpor ymm10,ymm4,ymm6
  vpor ymm11,ymm5,ymm7
  vpxor ymm12,ymm4,ymm0
  vpxor ymm13,ymm5,ymm0
  vpand ymm12,ymm12,ymm1
  vpand ymm13,ymm13,ymm1
  vpand ymm14,ymm6,ymm2
  vpand ymm15,ymm7,ymm2
  vpsllvd ymm14,ymm4,ymm14
  vpsllvd ymm15,ymm5,ymm15
  vpand ymm14,ymm14,ymm1
  vpand ymm15,ymm15,ymm1
  vpand ymm6,ymm6,ymm2
  vpand ymm7,ymm7,ymm2
  vpsrlvd ymm6,ymm4,ymm6
  vpsrlvd ymm7,ymm5,ymm7
  vpand ymm6,ymm6,ymm1
  vpand ymm7,ymm7,ymm1
  vpxor ymm10,ymm8,ymm10
  vpxor ymm11,ymm9,ymm11
  vpxor ymm10,ymm10,ymm12
  vpxor ymm11,ymm11,ymm13
  vpxor ymm10,ymm10,ymm14
  vpxor ymm11,ymm11,ymm15
  vpxor ymm10,ymm10,ymm6
  vpxor ymm11,ymm11,ymm7
  vpand ymm10,ymm10,ymm1
  vpand ymm11,ymm11,ymm1
  vpackusdw ymm11,ymm10,ymm11
  vpackuswb ymm11,ymm11,ymm11
  vpermd ymm11,ymm3,ymm11
  vmovdqu [r10+rsi],xmm11
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
  vmovdqu ymm3,[rbp+18h]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vpmovzxbd ymm4,[r8+rsi]
  vpmovzxbd ymm5,[r8+rsi+8]
  vpmovzxbd ymm6,[r9+rsi]
  vpmovzxbd ymm7,[r9+rsi+8]
  vpand ymm8,ymm4,ymm6
  vpand ymm9,ymm5,ymm7
  vpor ymm10,ymm4,ymm6
  vpor ymm11,ymm5,ymm7
  vpxor ymm12,ymm4,ymm0
  vpxor ymm13,ymm5,ymm0
  vpand ymm12,ymm12,ymm1
  vpand ymm13,ymm13,ymm1
  vpand ymm14,ymm6,ymm2
  vpand ymm15,ymm7,ymm2
  vpsllvd ymm14,ymm4,ymm14
  vpsllvd ymm15,ymm5,ymm15
  vpand ymm14,ymm14,ymm1
  vpand ymm15,ymm15,ymm1
  vpand ymm6,ymm6,ymm2
  vpand ymm7,ymm7,ymm2
  vpsrlvd ymm6,ymm4,ymm6
  vpsrlvd ymm7,ymm5,ymm7
  vpand ymm6,ymm6,ymm1
  vpand ymm7,ymm7,ymm1
  vpxor ymm10,ymm8,ymm10
  vpxor ymm11,ymm9,ymm11
  vpxor ymm10,ymm10,ymm12
  vpxor ymm11,ymm11,ymm13
  vpxor ymm10,ymm10,ymm14
  vpxor ymm11,ymm11,ymm15
  vpxor ymm10,ymm10,ymm6
  vpxor ymm11,ymm11,ymm7
  vpand ymm10,ymm10,ymm1
  vpand ymm11,ymm11,ymm1
  vpackusdw ymm11,ymm10,ymm11
  vpackuswb ymm11,ymm11,ymm11
  vpermd ymm11,ymm3,ymm11
  vmovdqu [r10+rsi],xmm11
  add rsi,10h
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L53
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm0,ebx
  vpbroadcastw ymm0,xmm0
  vmovdqu ymm13,[rbp+38h]
  vpand ymm1,ymm0,ymm13
  vpcmpeqd ymm1,ymm1,ymm13
  vmovdqu ymm14,[rbp+58h]
  vpand ymm0,ymm0,ymm14
  vpcmpeqd ymm15,ymm0,ymm14
  vmovdqu [rbp+0C0h],ymm15
  vpbroadcastq ymm13,[rbp+78h]
  vmovdqa ymm2,ymm13
  vpackssdw ymm3,ymm1,ymm15
  vpacksswb ymm3,ymm3,ymm3
  vmovdqu ymm14,[rbp+18h]
  vpermd ymm3,ymm14,ymm3
  vpmovmskb eax,xmm3
  test eax,1
  je L5
  vpinsrb xmm2,xmm2,[r8+rsi],0
L5:
  test eax,2
  je L6
  vpinsrb xmm2,xmm2,[r8+rsi+1],1
L6:
  test eax,4
  je L7
  vpinsrb xmm2,xmm2,[r8+rsi+2],2
L7:
  test eax,8
  je L8
  vpinsrb xmm2,xmm2,[r8+rsi+3],3
L8:
  test eax,10h
  je L9
  vpinsrb xmm2,xmm2,[r8+rsi+4],4
L9:
  test eax,20h
  je L10
  vpinsrb xmm2,xmm2,[r8+rsi+5],5
L10:
  test eax,40h
  je L11
  vpinsrb xmm2,xmm2,[r8+rsi+6],6
L11:
  test eax,80h
  je L12
  vpinsrb xmm2,xmm2,[r8+rsi+7],7
L12:
  test eax,100h
  je L13
  vpinsrb xmm2,xmm2,[r8+rsi+8],8
L13:
  test eax,200h
  je L14
  vpinsrb xmm2,xmm2,[r8+rsi+9],9
L14:
  test eax,400h
  je L15
  vpinsrb xmm2,xmm2,[r8+rsi+0Ah],0Ah
L15:
  test eax,800h
  je L16
  vpinsrb xmm2,xmm2,[r8+rsi+0Bh],0Bh
L16:
  test eax,1000h
  je L17
  vpinsrb xmm2,xmm2,[r8+rsi+0Ch],0Ch
L17:
  test eax,2000h
  je L18
  vpinsrb xmm2,xmm2,[r8+rsi+0Dh],0Dh
L18:
  test eax,4000h
  je L19
  vpinsrb xmm2,xmm2,[r8+rsi+0Eh],0Eh
L19:
  test eax,8000h
  je L20
  vpinsrb xmm2,xmm2,[r8+rsi+0Fh],0Fh
L20:
  vpsrldq xmm3,xmm2,8
  vpmovzxbd ymm2,xmm2
  vpmovzxbd ymm3,xmm3
  vpand ymm2,ymm2,ymm1
  vmovdqu ymm13,[rbp+0C0h]
  vpand ymm3,ymm3,ymm13
  vpbroadcastq ymm14,[rbp+78h]
  vmovdqa ymm4,ymm14
  vpackssdw ymm5,ymm1,ymm13
  vpacksswb ymm5,ymm5,ymm5
  vmovdqu ymm15,[rbp+18h]
  vpermd ymm5,ymm15,ymm5
  vpmovmskb eax,xmm5
  test eax,1
  je L21
  vpinsrb xmm4,xmm4,[r9+rsi],0
L21:
  test eax,2
  je L22
  vpinsrb xmm4,xmm4,[r9+rsi+1],1
L22:
  test eax,4
  je L23
  vpinsrb xmm4,xmm4,[r9+rsi+2],2
L23:
  test eax,8
  je L24
  vpinsrb xmm4,xmm4,[r9+rsi+3],3
L24:
  test eax,10h
  je L25
  vpinsrb xmm4,xmm4,[r9+rsi+4],4
L25:
  test eax,20h
  je L26
  vpinsrb xmm4,xmm4,[r9+rsi+5],5
L26:
  test eax,40h
  je L27
  vpinsrb xmm4,xmm4,[r9+rsi+6],6
L27:
  test eax,80h
  je L28
  vpinsrb xmm4,xmm4,[r9+rsi+7],7
L28:
  test eax,100h
  je L29
  vpinsrb xmm4,xmm4,[r9+rsi+8],8
L29:
  test eax,200h
  je L30
  vpinsrb xmm4,xmm4,[r9+rsi+9],9
L30:
  test eax,400h
  je L31
  vpinsrb xmm4,xmm4,[r9+rsi+0Ah],0Ah
L31:
  test eax,800h
  je L32
  vpinsrb xmm4,xmm4,[r9+rsi+0Bh],0Bh
L32:
  test eax,1000h
  je L33
  vpinsrb xmm4,xmm4,[r9+rsi+0Ch],0Ch
L33:
  test eax,2000h
  je L34
  vpinsrb xmm4,xmm4,[r9+rsi+0Dh],0Dh
L34:
  test eax,4000h
  je L35
  vpinsrb xmm4,xmm4,[r9+rsi+0Eh],0Eh
L35:
  test eax,8000h
  je L36
  vpinsrb xmm4,xmm4,[r9+rsi+0Fh],0Fh
L36:
  vpsrldq xmm5,xmm4,8
  vpmovzxbd ymm4,xmm4
  vpmovzxbd ymm5,xmm5
  vpand ymm4,ymm4,ymm1
  vmovdqu ymm13,[rbp+0C0h]
  vpand ymm5,ymm5,ymm13
  vpand ymm6,ymm2,ymm4
  vpand ymm7,ymm3,ymm5
  vpor ymm8,ymm2,ymm4
  vpor ymm9,ymm3,ymm5
  vpbroadcastq ymm14,[rbp]
  vpxor ymm10,ymm2,ymm14
  vpxor ymm11,ymm3,ymm14
  vpbroadcastq ymm15,[rbp+8]
  vpand ymm10,ymm10,ymm15
  vpand ymm11,ymm11,ymm15
  vpbroadcastq ymm13,[rbp+10h]
  vpand ymm12,ymm4,ymm13
  vpand ymm0,ymm5,ymm13
  vpsllvd ymm12,ymm2,ymm12
  vpsllvd ymm0,ymm3,ymm0
  vpand ymm12,ymm12,ymm15
  vpand ymm0,ymm0,ymm15
  vpand ymm4,ymm4,ymm13
  vpand ymm5,ymm5,ymm13
  vpsrlvd ymm4,ymm2,ymm4
  vpsrlvd ymm5,ymm3,ymm5
  vpand ymm4,ymm4,ymm15
  vpand ymm5,ymm5,ymm15
  vpxor ymm8,ymm6,ymm8
  vpxor ymm9,ymm7,ymm9
  vpxor ymm8,ymm8,ymm10
  vpxor ymm9,ymm9,ymm11
  vpxor ymm8,ymm8,ymm12
  vpxor ymm9,ymm9,ymm0
  vpxor ymm8,ymm8,ymm4
  vpxor ymm9,ymm9,ymm5
  vpand ymm8,ymm8,ymm15
  vpand ymm9,ymm9,ymm15
  vpackusdw ymm9,ymm8,ymm9
  vpackuswb ymm9,ymm9,ymm9
  vmovdqu ymm14,[rbp+18h]
  vpermd ymm9,ymm14,ymm9
  vmovdqu ymm13,[rbp+0C0h]
  vpackssdw ymm1,ymm1,ymm13
  vpacksswb ymm1,ymm1,ymm1
  vpermd ymm1,ymm14,ymm1
  vpmovmskb eax,xmm1
  test eax,1
  je L37
  vpextrb [r10+rsi],xmm9,0
L37:
  test eax,2
  je L38
  vpextrb [r10+rsi+1],xmm9,1
L38:
  test eax,4
  je L39
  vpextrb [r10+rsi+2],xmm9,2
L39:
  test eax,8
  je L40
  vpextrb [r10+rsi+3],xmm9,3
L40:
  test eax,10h
  je L41
  vpextrb [r10+rsi+4],xmm9,4
L41:
  test eax,20h
  je L42
  vpextrb [r10+rsi+5],xmm9,5
L42:
  test eax,40h
  je L43
  vpextrb [r10+rsi+6],xmm9,6
L43:
  test eax,80h
  je L44
  vpextrb [r10+rsi+7],xmm9,7
L44:
  test eax,100h
  je L45
  vpextrb [r10+rsi+8],xmm9,8
L45:
  test eax,200h
  je L46
  vpextrb [r10+rsi+9],xmm9,9
L46:
  test eax,400h
  je L47
  vpextrb [r10+rsi+0Ah],xmm9,0Ah
L47:
  test eax,800h
  je L48
  vpextrb [r10+rsi+0Bh],xmm9,0Bh
L48:
  test eax,1000h
  je L49
  vpextrb [r10+rsi+0Ch],xmm9,0Ch
L49:
  test eax,2000h
  je L50
  vpextrb [r10+rsi+0Dh],xmm9,0Dh
L50:
  test eax,4000h
  je L51
  vpextrb [r10+rsi+0Eh],xmm9,0Eh
L51:
  test eax,8000h
  je L52
  vpextrb [r10+rsi+0Fh],xmm9,0Fh
L52:
  jmp L53
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L53:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
