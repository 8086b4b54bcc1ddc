; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0x0000000000000000
  times 1 dq 0x0000ffff0000ffff
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
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vpmovsxbd zmm2,[r8+rsi]
  vpsubd zmm2,zmm0,zmm2
  vpslld zmm2,zmm2,18h
  vpsrad zmm2,zmm2,18h
  vpmovsxwd zmm3,[r9+rsi*2]
  mov r14,[rdi+50h]
  kmovw k1,[r14+rdx]
  vpabsd zmm3,zmm3
  vpslld zmm3,zmm3,10h
  vpsrad zmm3,zmm3,10h
  vpmovzxwd zmm4,[r10+rsi*2]
  vpaddd zmm4,zmm4,zmm4
  vpandq zmm4,zmm4,zmm1
  vpmovdb [r11+rsi],zmm2
  vmovdqa32 zmm3{k1}{z},zmm3
  vpmovdw [r12+rsi*2],zmm3
  mov r14,[rdi+80h]
  kmovw [r14+rdx],k1
  vpmovdw [r13+rsi*2],zmm4
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
L3:
  vpmovsxbd zmm2,[r8+rsi]
  vpsubd zmm2,zmm0,zmm2
  vpslld zmm2,zmm2,18h
  vpsrad zmm2,zmm2,18h
  vpmovsxwd zmm3,[r9+rsi*2]
  mov r14,[rdi+50h]
  kmovw k1,[r14+rdx]
  vpabsd zmm3,zmm3
  vpslld zmm3,zmm3,10h
  vpsrad zmm3,zmm3,10h
  vpmovzxwd zmm4,[r10+rsi*2]
  vpaddd zmm4,zmm4,zmm4
  vpandq zmm4,zmm4,zmm1
  vpmovdb [r11+rsi],zmm2
  vmovdqa32 zmm3{k1}{z},zmm3
  vpmovdw [r12+rsi*2],zmm3
  mov r14,[rdi+80h]
  kmovw [r14+rdx],k1
  vpmovdw [r13+rsi*2],zmm4
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
  vpmovsxbd zmm2{k1}{z},[r8+rsi]
  vpsubd zmm2,zmm0,zmm2
  vpslld zmm2,zmm2,18h
  vpsrad zmm2,zmm2,18h
  vpmovsxwd zmm3{k1}{z},[r9+rsi*2]
  mov r14,[rdi+50h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r14+rdx]
L5:
  kmovw k2,eax
  vpabsd zmm3,zmm3
  vpslld zmm3,zmm3,10h
  vpsrad zmm3,zmm3,10h
  vpmovzxwd zmm4{k1}{z},[r10+rsi*2]
  vpaddd zmm4,zmm4,zmm4
  vpandq zmm4,zmm4,zmm1
  vpmovdb [r11+rsi]{k1},zmm2
  vmovdqa32 zmm3{k2}{z},zmm3
  vpmovdw [r12+rsi*2]{k1},zmm3
  kandw k2,k2,k1
  mov r14,[rdi+80h]
  kmovw eax,k2
  mov [r14+rdx],al
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L6
  shr eax,8
  mov [r14+rdx+1],al
L6:
  vpmovdw [r13+rsi*2]{k1},zmm4
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
  times 1 dq 0x0000000000000000
  times 1 dq 0x0000ffff0000ffff
  times 1 dq 0x0000000200000001
  times 1 dq 0x0000000800000004
  times 1 dq 0x0000002000000010
  times 1 dq 0x0000008000000040
  times 1 dq 0x0000020000000100
  times 1 dq 0x0000080000000400
  times 1 dq 0x0000200000001000
  times 1 dq 0x0000800000004000
  times 1 dq 0x000000ff000000ff
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0x0000000000000000
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
  vmovdqu ymm1,[rbp+10h]
  vmovdqu ymm2,[rbp+30h]
  vpbroadcastq ymm3,[rbp+8]
  vpbroadcastq ymm4,[rbp+50h]
  vmovdqu ymm5,[rbp+58h]
  nop [rax+rax]
  nop [rax]
L1:
  vpmovsxbd ymm6,[r8+rsi]
  vpmovsxbd ymm7,[r8+rsi+8]
  vpsubd ymm6,ymm0,ymm6
  vpsubd ymm7,ymm0,ymm7
  vpslld ymm6,ymm6,18h
  vpslld ymm7,ymm7,18h
  vpsrad ymm6,ymm6,18h
  vpsrad ymm7,ymm7,18h
  vpmovsxwd ymm8,[r9+rsi*2]
  vpmovsxwd ymm9,[r9+rsi*2+10h]
  mov r14,[rdi+50h]
  vpbroadcastw ymm10,[r14+rdx]
  vpand ymm11,ymm10,ymm1
  vpcmpeqd ymm11,ymm11,ymm1
  vpand ymm10,ymm10,ymm2
  vpcmpeqd ymm10,ymm10,ymm2
  vpabsd ymm8,ymm8
  vpabsd ymm9,ymm9
  vpslld ymm8,ymm8,10h
  vpslld ymm9,ymm9,10h
  vpsrad ymm8,ymm8,10h
  vpsrad ymm9,ymm9,10h
  vpmovzxwd ymm12,[r10+rsi*2]
  vpmovzxwd ymm13,[r10+rsi*2+10h]
  vpaddd ymm12,ymm12,ymm12
  vpaddd ymm13,ymm13,ymm13
  vpand ymm12,ymm12,ymm3
  vpand ymm13,ymm13,ymm3
  vpand ymm6,ymm6,ymm4
  vpand ymm7,ymm7,ymm4
  vpackusdw ymm7,ymm6,ymm7
  vpackuswb ymm7,ymm7,ymm7
  vpermd ymm7,ymm5,ymm7
  vmovdqu [r11+rsi],xmm7
  vpand ymm7,ymm8,ymm11
  vpand ymm9,ymm9,ymm10
  vpand ymm7,ymm7,ymm3
  vpand ymm9,ymm9,ymm3
  vpackusdw ymm9,ymm7,ymm9
  vpermq ymm9,ymm9,0D8h
  vmovdqu [r12+rsi*2],ymm9
  mov r14,[rdi+80h]
  vmovmskps eax,ymm11
  mov [r14+rdx],al
  vmovmskps eax,ymm10
  mov [r14+rdx+1],al
  vpand ymm9,ymm12,ymm3
  vpand ymm13,ymm13,ymm3
  vpackusdw ymm13,ymm9,ymm13
  vpermq ymm13,ymm13,0D8h
  vmovdqu [r13+rsi*2],ymm13
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
  vmovdqu ymm1,[rbp+10h]
  vmovdqu ymm2,[rbp+30h]
  vpbroadcastq ymm3,[rbp+8]
  vpbroadcastq ymm4,[rbp+50h]
  vmovdqu ymm5,[rbp+58h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L3:
  vpmovsxbd ymm6,[r8+rsi]
  vpmovsxbd ymm7,[r8+rsi+8]
  vpsubd ymm6,ymm0,ymm6
  vpsubd ymm7,ymm0,ymm7
  vpslld ymm6,ymm6,18h
  vpslld ymm7,ymm7,18h
  vpsrad ymm6,ymm6,18h
  vpsrad ymm7,ymm7,18h
  vpmovsxwd ymm8,[r9+rsi*2]
  vpmovsxwd ymm9,[r9+rsi*2+10h]
  mov r14,[rdi+50h]
  vpbroadcastw ymm10,[r14+rdx]
  vpand ymm11,ymm10,ymm1
  vpcmpeqd ymm11,ymm11,ymm1
  vpand ymm10,ymm10,ymm2
  vpcmpeqd ymm10,ymm10,ymm2
  vpabsd ymm8,ymm8
  vpabsd ymm9,ymm9
  vpslld ymm8,ymm8,10h
  vpslld ymm9,ymm9,10h
  vpsrad ymm8,ymm8,10h
  vpsrad ymm9,ymm9,10h
  vpmovzxwd ymm12,[r10+rsi*2]
  vpmovzxwd ymm13,[r10+rsi*2+10h]
  vpaddd ymm12,ymm12,ymm12
  vpaddd ymm13,ymm13,ymm13
  vpand ymm12,ymm12,ymm3
  vpand ymm13,ymm13,ymm3
  vpand ymm6,ymm6,ymm4
  vpand ymm7,ymm7,ymm4
  vpackusdw ymm7,ymm6,ymm7
  vpackuswb ymm7,ymm7,ymm7
  vpermd ymm7,ymm5,ymm7
  vmovdqu [r11+rsi],xmm7
  vpand ymm7,ymm8,ymm11
  vpand ymm9,ymm9,ymm10
  vpand ymm7,ymm7,ymm3
  vpand ymm9,ymm9,ymm3
  vpackusdw ymm9,ymm7,ymm9
  vpermq ymm9,ymm9,0D8h
  vmovdqu [r12+rsi*2],ymm9
  mov r14,[rdi+80h]
  vmovmskps eax,ymm11
  mov [r14+rdx],al
  vmovmskps eax,ymm10
  mov [r14+rdx+1],al
  vpand ymm9,ymm12,ymm3
  vpand ymm13,ymm13,ymm3
  vpackusdw ymm13,ymm9,ymm13
  vpermq ymm13,ymm13,0D8h
  vmovdqu [r13+rsi*2],ymm13
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L3
L4:
  cmp rsi,rcx
  jae L103
  vmovdqu ymm0,[rbp+10h]
  vmovdqu ymm1,[rbp+30h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm2,ebx
  vpbroadcastw ymm2,xmm2
  vpand ymm3,ymm2,ymm0
  vpcmpeqd ymm3,ymm3,ymm0
  vpand ymm2,ymm2,ymm1
  vpcmpeqd ymm2,ymm2,ymm1
  vpbroadcastq ymm13,[rbp]
  vmovdqa ymm4,ymm13
  vpackssdw ymm5,ymm3,ymm2
  vpacksswb ymm5,ymm5,ymm5
  vmovdqu ymm14,[rbp+58h]
  vpermd ymm5,ymm14,ymm5
  vpmovmskb eax,xmm5
  test eax,1
  je L5
  vpinsrb xmm4,xmm4,[r8+rsi],0
L5:
  test eax,2
  je L6
  vpinsrb xmm4,xmm4,[r8+rsi+1],1
L6:
  test eax,4
  je L7
  vpinsrb xmm4,xmm4,[r8+rsi+2],2
L7:
  test eax,8
  je L8
  vpinsrb xmm4,xmm4,[r8+rsi+3],3
L8:
  test eax,10h
  je L9
  vpinsrb xmm4,xmm4,[r8+rsi+4],4
L9:
  test eax,20h
  je L10
  vpinsrb xmm4,xmm4,[r8+rsi+5],5
L10:
  test eax,40h
  je L11
  vpinsrb xmm4,xmm4,[r8+rsi+6],6
L11:
  test eax,80h
  je L12
  vpinsrb xmm4,xmm4,[r8+rsi+7],7
L12:
  test eax,100h
  je L13
  vpinsrb xmm4,xmm4,[r8+rsi+8],8
L13:
  test eax,200h
  je L14
  vpinsrb xmm4,xmm4,[r8+rsi+9],9
L14:
  test eax,400h
  je L15
  vpinsrb xmm4,xmm4,[r8+rsi+0Ah],0Ah
L15:
  test eax,800h
  je L16
  vpinsrb xmm4,xmm4,[r8+rsi+0Bh],0Bh
L16:
  test eax,1000h
  je L17
  vpinsrb xmm4,xmm4,[r8+rsi+0Ch],0Ch
L17:
  test eax,2000h
  je L18
  vpinsrb xmm4,xmm4,[r8+rsi+0Dh],0Dh
L18:
  test eax,4000h
  je L19
  vpinsrb xmm4,xmm4,[r8+rsi+0Eh],0Eh
L19:
  test eax,8000h
  je L20
  vpinsrb xmm4,xmm4,[r8+rsi+0Fh],0Fh
L20:
  vpsrldq xmm5,xmm4,8
  vpmovsxbd ymm4,xmm4
  vpmovsxbd ymm5,xmm5
  vpand ymm4,ymm4,ymm3
  vpand ymm5,ymm5,ymm2
  vpbroadcastq ymm13,[rbp]
  vpsubd ymm4,ymm13,ymm4
  vpsubd ymm5,ymm13,ymm5
  vpslld ymm4,ymm4,18h
  vpslld ymm5,ymm5,18h
  vpsrad ymm4,ymm4,18h
  vpsrad ymm5,ymm5,18h
  vmovdqa ymm6,ymm13
  vmovdqa ymm7,ymm13
  vpackssdw ymm8,ymm3,ymm2
  vpacksswb ymm8,ymm8,ymm8
  vmovdqu ymm14,[rbp+58h]
  vpermd ymm8,ymm14,ymm8
  vpmovmskb eax,xmm8
  test eax,1
  je L21
  vpinsrw xmm6,xmm6,[r9+rsi*2],0
L21:
  test eax,2
  je L22
  vpinsrw xmm6,xmm6,[r9+rsi*2+2],1
L22:
  test eax,4
  je L23
  vpinsrw xmm6,xmm6,[r9+rsi*2+4],2
L23:
  test eax,8
  je L24
  vpinsrw xmm6,xmm6,[r9+rsi*2+6],3
L24:
  test eax,10h
  je L25
  vpinsrw xmm6,xmm6,[r9+rsi*2+8],4
L25:
  test eax,20h
  je L26
  vpinsrw xmm6,xmm6,[r9+rsi*2+0Ah],5
L26:
  test eax,40h
  je L27
  vpinsrw xmm6,xmm6,[r9+rsi*2+0Ch],6
L27:
  test eax,80h
  je L28
  vpinsrw xmm6,xmm6,[r9+rsi*2+0Eh],7
L28:
  test eax,100h
  je L29
  vpinsrw xmm7,xmm7,[r9+rsi*2+10h],0
L29:
  test eax,200h
  je L30
  vpinsrw xmm7,xmm7,[r9+rsi*2+12h],1
L30:
  test eax,400h
  je L31
  vpinsrw xmm7,xmm7,[r9+rsi*2+14h],2
L31:
  test eax,800h
  je L32
  vpinsrw xmm7,xmm7,[r9+rsi*2+16h],3
L32:
  test eax,1000h
  je L33
  vpinsrw xmm7,xmm7,[r9+rsi*2+18h],4
L33:
  test eax,2000h
  je L34
  vpinsrw xmm7,xmm7,[r9+rsi*2+1Ah],5
L34:
  test eax,4000h
  je L35
  vpinsrw xmm7,xmm7,[r9+rsi*2+1Ch],6
L35:
  test eax,8000h
  je L36
  vpinsrw xmm7,xmm7,[r9+rsi*2+1Eh],7
L36:
  vpmovsxwd ymm8,xmm6
  vpmovsxwd ymm7,xmm7
  vpand ymm8,ymm8,ymm3
  vpand ymm7,ymm7,ymm2
  mov r14,[rdi+50h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L37
  movzx eax,word ptr [r14+rdx]
L37:
  vmovd xmm6,eax
  vpbroadcastw ymm6,xmm6
  vpand ymm9,ymm6,ymm0
  vpcmpeqd ymm9,ymm9,ymm0
  vpand ymm6,ymm6,ymm1
  vpcmpeqd ymm6,ymm6,ymm1
  vpabsd ymm8,ymm8
  vpabsd ymm7,ymm7
  vpslld ymm8,ymm8,10h
  vpslld ymm7,ymm7,10h
  vpsrad ymm8,ymm8,10h
  vpsrad ymm7,ymm7,10h
  vpbroadcastq ymm13,[rbp]
  vmovdqa ymm10,ymm13
  vmovdqa ymm11,ymm13
  vpackssdw ymm12,ymm3,ymm2
  vpacksswb ymm12,ymm12,ymm12
  vmovdqu ymm14,[rbp+58h]
  vpermd ymm12,ymm14,ymm12
  vpmovmskb eax,xmm12
  test eax,1
  je L38
  vpinsrw xmm10,xmm10,[r10+rsi*2],0
L38:
  test eax,2
  je L39
  vpinsrw xmm10,xmm10,[r10+rsi*2+2],1
L39:
  test eax,4
  je L40
  vpinsrw xmm10,xmm10,[r10+rsi*2+4],2
L40:
  test eax,8
  je L41
  vpinsrw xmm10,xmm10,[r10+rsi*2+6],3
L41:
  test eax,10h
  je L42
  vpinsrw xmm10,xmm10,[r10+rsi*2+8],4
L42:
  test eax,20h
  je L43
  vpinsrw xmm10,xmm10,[r10+rsi*2+0Ah],5
L43:
  test eax,40h
  je L44
  vpinsrw xmm10,xmm10,[r10+rsi*2+0Ch],6
L44:
  test eax,80h
  je L45
  vpinsrw xmm10,xmm10,[r10+rsi*2+0Eh],7
L45:
  test eax,100h
  je L46
  vpinsrw xmm11,xmm11,[r10+rsi*2+10h],0
L46:
  test eax,200h
  je L47
  vpinsrw xmm11,xmm11,[r10+rsi*2+12h],1
L47:
  test eax,400h
  je L48
  vpinsrw xmm11,xmm11,[r10+rsi*2+14h],2
L48:
  test eax,800h
  je L49
  vpinsrw xmm11,xmm11,[r10+rsi*2+16h],3
L49:
  test eax,1000h
  je L50
  vpinsrw xmm11,xmm11,[r10+rsi*2+18h],4
L50:
  test eax,2000h
  je L51
  vpinsrw xmm11,xmm11,[r10+rsi*2+1Ah],5
L51:
  test eax,4000h
  je L52
  vpinsrw xmm11,xmm11,[r10+rsi*2+1Ch],6
L52:
  test eax,8000h
  je L53
  vpinsrw xmm11,xmm11,[r10+rsi*2+1Eh],7
L53:
  vpmovzxwd ymm12,xmm10
  vpmovzxwd ymm11,xmm11
  vpand ymm12,ymm12,ymm3
  vpand ymm11,ymm11,ymm2
  vpaddd ymm12,ymm12,ymm12
  vpaddd ymm11,ymm11,ymm11
  vpbroadcastq ymm13,[rbp+8]
  vpand ymm12,ymm12,ymm13
  vpand ymm11,ymm11,ymm13
  vpbroadcastq ymm14,[rbp+50h]
  vpand ymm4,ymm4,ymm14
  vpand ymm5,ymm5,ymm14
  vpackusdw ymm5,ymm4,ymm5
  vpackuswb ymm5,ymm5,ymm5
  vmovdqu ymm15,[rbp+58h]
  vpermd ymm5,ymm15,ymm5
  vpackssdw ymm4,ymm3,ymm2
  vpacksswb ymm4,ymm4,ymm4
  vpermd ymm4,ymm15,ymm4
  vpmovmskb eax,xmm4
  test eax,1
  je L54
  vpextrb [r11+rsi],xmm5,0
L54:
  test eax,2
  je L55
  vpextrb [r11+rsi+1],xmm5,1
L55:
  test eax,4
  je L56
  vpextrb [r11+rsi+2],xmm5,2
L56:
  test eax,8
  je L57
  vpextrb [r11+rsi+3],xmm5,3
L57:
  test eax,10h
  je L58
  vpextrb [r11+rsi+4],xmm5,4
L58:
  test eax,20h
  je L59
  vpextrb [r11+rsi+5],xmm5,5
L59:
  test eax,40h
  je L60
  vpextrb [r11+rsi+6],xmm5,6
L60:
  test eax,80h
  je L61
  vpextrb [r11+rsi+7],xmm5,7
L61:
  test eax,100h
  je L62
  vpextrb [r11+rsi+8],xmm5,8
L62:
  test eax,200h
  je L63
  vpextrb [r11+rsi+9],xmm5,9
L63:
  test eax,400h
  je L64
  vpextrb [r11+rsi+0Ah],xmm5,0Ah
L64:
  test eax,800h
  je L65
  vpextrb [r11+rsi+0Bh],xmm5,0Bh
L65:
  test eax,1000h
  je L66
  vpextrb [r11+rsi+0Ch],xmm5,0Ch
L66:
  test eax,2000h
  je L67
  vpextrb [r11+rsi+0Dh],xmm5,0Dh
L67:
  test eax,4000h
  je L68
  vpextrb [r11+rsi+0Eh],xmm5,0Eh
L68:
  test eax,8000h
  je L69
  vpextrb [r11+rsi+0Fh],xmm5,0Fh
L69:
  vpand ymm4,ymm8,ymm9
  vpand ymm7,ymm7,ymm6
  vpbroadcastq ymm13,[rbp+8]
  vpand ymm4,ymm4,ymm13
  vpand ymm7,ymm7,ymm13
  vpackusdw ymm7,ymm4,ymm7
  vpermq ymm7,ymm7,0D8h
  vextracti128 xmm4,ymm7,1
  vpackssdw ymm5,ymm3,ymm2
  vpacksswb ymm5,ymm5,ymm5
  vmovdqu ymm14,[rbp+58h]
  vpermd ymm5,ymm14,ymm5
  vpmovmskb eax,xmm5
  test eax,1
  je L70
  vpextrw [r12+rsi*2],xmm7,0
L70:
  test eax,2
  je L71
  vpextrw [r12+rsi*2+2],xmm7,1
L71:
  test eax,4
  je L72
  vpextrw [r12+rsi*2+4],xmm7,2
L72:
  test eax,8
  je L73
  vpextrw [r12+rsi*2+6],xmm7,3
L73:
  test eax,10h
  je L74
  vpextrw [r12+rsi*2+8],xmm7,4
L74:
  test eax,20h
  je L75
  vpextrw [r12+rsi*2+0Ah],xmm7,5
L75:
  test eax,40h
  je L76
  vpextrw [r12+rsi*2+0Ch],xmm7,6
L76:
  test eax,80h
  je L77
  vpextrw [r12+rsi*2+0Eh],xmm7,7
L77:
  test eax,100h
  je L78
  vpextrw [r12+rsi*2+10h],xmm4,0
L78:
  test eax,200h
  je L79
  vpextrw [r12+rsi*2+12h],xmm4,1
L79:
  test eax,400h
  je L80
  vpextrw [r12+rsi*2+14h],xmm4,2
L80:
  test eax,800h
  je L81
  vpextrw [r12+rsi*2+16h],xmm4,3
L81:
  test eax,1000h
  je L82
  vpextrw [r12+rsi*2+18h],xmm4,4
L82:
  test eax,2000h
  je L83
  vpextrw [r12+rsi*2+1Ah],xmm4,5
L83:
  test eax,4000h
  je L84
  vpextrw [r12+rsi*2+1Ch],xmm4,6
L84:
  test eax,8000h
  je L85
  vpextrw [r12+rsi*2+1Eh],xmm4,7
L85:
  vpand ymm5,ymm9,ymm3
  vpand ymm6,ymm6,ymm2
  mov r14,[rdi+80h]
  vpackssdw ymm6,ymm5,ymm6
  vpacksswb ymm6,ymm6,ymm6
  vmovdqu ymm13,[rbp+58h]
  vpermd ymm6,ymm13,ymm6
  vpmovmskb eax,xmm6
  mov [r14+rdx],al
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L86
  shr eax,8
  mov [r14+rdx+1],al
L86:
  vpbroadcastq ymm13,[rbp+8]
  vpand ymm6,ymm12,ymm13
  vpand ymm11,ymm11,ymm13
  vpackusdw ymm11,ymm6,ymm11
  vpermq ymm11,ymm11,0D8h
  vextracti128 xmm6,ymm11,1
  vpackssdw ymm2,ymm3,ymm2
  vpacksswb ymm2,ymm2,ymm2
  vmovdqu ymm14,[rbp+58h]
  vpermd ymm2,ymm14,ymm2
  vpmovmskb eax,xmm2
  test eax,1
  je L87
  vpextrw [r13+rsi*2],xmm11,0
L87:
  test eax,2
  je L88
  vpextrw [r13+rsi*2+2],xmm11,1
L88:
  test eax,4
  je L89
  vpextrw [r13+rsi*2+4],xmm11,2
L89:
  test eax,8
  je L90
  vpextrw [r13+rsi*2+6],xmm11,3
L90:
  test eax,10h
  je L91
  vpextrw [r13+rsi*2+8],xmm11,4
L91:
  test eax,20h
  je L92
  vpextrw [r13+rsi*2+0Ah],xmm11,5
L92:
  test eax,40h
  je L93
  vpextrw [r13+rsi*2+0Ch],xmm11,6
L93:
  test eax,80h
  je L94
  vpextrw [r13+rsi*2+0Eh],xmm11,7
L94:
  test eax,100h
  je L95
  vpextrw [r13+rsi*2+10h],xmm6,0
L95:
  test eax,200h
  je L96
  vpextrw [r13+rsi*2+12h],xmm6,1
L96:
  test eax,400h
  je L97
  vpextrw [r13+rsi*2+14h],xmm6,2
L97:
  test eax,800h
  je L98
  vpextrw [r13+rsi*2+16h],xmm6,3
L98:
  test eax,1000h
  je L99
  vpextrw [r13+rsi*2+18h],xmm6,4
L99:
  test eax,2000h
  je L100
  vpextrw [r13+rsi*2+1Ah],xmm6,5
L100:
  test eax,4000h
  je L101
  vpextrw [r13+rsi*2+1Ch],xmm6,6
L101:
  test eax,8000h
  je L102
  vpextrw [r13+rsi*2+1Eh],xmm6,7
L102:
  jmp L103
  sfence
  tzcnt eax,eax
  add rax,rsi
  mov [rdi+18h],rax
L103:
  mov [rdi+20h],r15
  vzeroupper
  pop r15
  pop r14
  pop r13
  pop r12
  pop rbp
  pop rbx
  ret
