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
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L2
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax]
L1:
  vmovdqu32 zmm0,[r8+rsi*4]
  mov r14,[rdi+40h]
  kmovw k1,[r14+rdx]
  vmovdqu32 zmm1,[r9+rsi*4]
  vpcmpequd k2,zmm0,zmm1
  vpblendmd zmm1{k1},zmm1,zmm0
  kmovw k3,[r11+rdx]
  kandw k2,k2,k1
  kmovw eax,k2
  kmovw ebx,k3
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  kmovw eax,k1
  kmovw ebx,k3
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpcompressd zmm1{k3}{z},zmm1
  vmovdqu32 [r13+r15*4],zmm1
  vmovdqu64 zmm1,[r10+rsi*8]
  vmovdqu64 zmm0,[r10+rsi*8+40h]
  mov r14,[rdi+60h]
  kmovw k2,[r14+rdx]
  vmovdqa64 zmm1{k2}{z},zmm1
  kshiftrw k1,k2,8
  vmovdqa64 zmm0{k1}{z},zmm0
  vpcompressq zmm1{k3}{z},zmm1
  mov r14,[rdi+98h]
  vmovdqu64 [r14+r15*8],zmm1
  kshiftrw k1,k3,8
  vpcompressq zmm1{k1}{z},zmm0
  mov r14,[rdi+98h]
  kmovb ebx,k3
  popcnt ebx,ebx
  add rbx,r15
  vmovdqu64 [r14+rbx*8],zmm1
  mov r14,[rdi+0A0h]
  kmovw eax,k2
  kmovw ebx,k3
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw eax,k3
  popcnt eax,eax
  add r15,rax
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L6
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu32 zmm0{k1}{z},[r8+rsi*4]
  mov r14,[rdi+40h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L3
  movzx eax,word ptr [r14+rdx]
L3:
  kmovw k2,eax
  vmovdqu32 zmm1{k1}{z},[r9+rsi*4]
  vpcmpequd k3,zmm0,zmm1
  vpblendmd zmm1{k2},zmm1,zmm0
  movzx eax,byte ptr [r11+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L4
  movzx eax,word ptr [r11+rdx]
L4:
  kmovw k4,eax
  kandw k4,k4,k1
  kandw k3,k3,k2
  kmovw eax,k3
  kmovw ebx,k4
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  kmovw eax,k2
  kmovw ebx,k4
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpcompressd zmm1{k4}{z},zmm1
  kmovw eax,k4
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k3,ebx
  vmovdqu32 [r13+r15*4]{k3},zmm1
  vmovdqu64 zmm1{k1}{z},[r10+rsi*8]
  kshiftrw k3,k1,8
  vmovdqu64 zmm0{k3}{z},[r10+rsi*8+40h]
  mov r14,[rdi+60h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r14+rdx]
L5:
  kmovw k3,eax
  vmovdqa64 zmm1{k3}{z},zmm1
  kshiftrw k1,k3,8
  vmovdqa64 zmm0{k1}{z},zmm0
  vpcompressq zmm1{k4}{z},zmm1
  kmovb eax,k4
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  mov r14,[rdi+98h]
  vmovdqu64 [r14+r15*8]{k1},zmm1
  kshiftrw k1,k4,8
  vpcompressq zmm1{k1}{z},zmm0
  kmovb eax,k1
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  mov r14,[rdi+98h]
  kmovb ebx,k4
  popcnt ebx,ebx
  add rbx,r15
  vmovdqu64 [r14+rbx*8]{k1},zmm1
  mov r14,[rdi+0A0h]
  kmovw eax,k3
  kmovw ebx,k4
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw eax,k4
  popcnt eax,eax
  add r15,rax
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
; scratch memory: 2368 bytes, starting with
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
  times 2 dq 0x0706050403020100
  times 1 dq 0x0706050403020001
  times 1 dq 0x0706050403020100
  times 1 dq 0x0706050403010002
  times 1 dq 0x0706050403010200
  times 1 dq 0x0706050403000201
  times 1 dq 0x0706050403020100
  times 1 dq 0x0706050402010003
  times 1 dq 0x0706050402010300
  times 1 dq 0x0706050402000301
  times 1 dq 0x0706050402030100
  times 1 dq 0x0706050401000302
  times 1 dq 0x0706050401030200
  times 1 dq 0x0706050400030201
  times 1 dq 0x0706050403020100
  times 1 dq 0x0706050302010004
  times 1 dq 0x0706050302010400
  times 1 dq 0x0706050302000401
  times 1 dq 0x0706050302040100
  times 1 dq 0x0706050301000402
  times 1 dq 0x0706050301040200
  times 1 dq 0x0706050300040201
  times 1 dq 0x0706050304020100
  times 1 dq 0x0706050201000403
  times 1 dq 0x0706050201040300
  times 1 dq 0x0706050200040301
  times 1 dq 0x0706050204030100
  times 1 dq 0x0706050100040302
  times 1 dq 0x0706050104030200
  times 1 dq 0x0706050004030201
  times 1 dq 0x0706050403020100
  times 1 dq 0x0706040302010005
  times 1 dq 0x0706040302010500
  times 1 dq 0x0706040302000501
  times 1 dq 0x0706040302050100
  times 1 dq 0x0706040301000502
  times 1 dq 0x0706040301050200
  times 1 dq 0x0706040300050201
  times 1 dq 0x0706040305020100
  times 1 dq 0x0706040201000503
  times 1 dq 0x0706040201050300
  times 1 dq 0x0706040200050301
  times 1 dq 0x0706040205030100
  times 1 dq 0x0706040100050302
  times 1 dq 0x0706040105030200
  times 1 dq 0x0706040005030201
  times 1 dq 0x0706040503020100
  times 1 dq 0x0706030201000504
  times 1 dq 0x0706030201050400
  times 1 dq 0x0706030200050401
  times 1 dq 0x0706030205040100
  times 1 dq 0x0706030100050402
  times 1 dq 0x0706030105040200
  times 1 dq 0x0706030005040201
  times 1 dq 0x0706030504020100
  times 1 dq 0x0706020100050403
  times 1 dq 0x0706020105040300
  times 1 dq 0x0706020005040301
  times 1 dq 0x0706020504030100
  times 1 dq 0x0706010005040302
  times 1 dq 0x0706010504030200
  times 1 dq 0x0706000504030201
  times 1 dq 0x0706050403020100
  times 1 dq 0x0705040302010006
  times 1 dq 0x0705040302010600
  times 1 dq 0x0705040302000601
  times 1 dq 0x0705040302060100
  times 1 dq 0x0705040301000602
  times 1 dq 0x0705040301060200
  times 1 dq 0x0705040300060201
  times 1 dq 0x0705040306020100
  times 1 dq 0x0705040201000603
  times 1 dq 0x0705040201060300
  times 1 dq 0x0705040200060301
  times 1 dq 0x0705040206030100
  times 1 dq 0x0705040100060302
  times 1 dq 0x0705040106030200
  times 1 dq 0x0705040006030201
  times 1 dq 0x0705040603020100
  times 1 dq 0x0705030201000604
  times 1 dq 0x0705030201060400
  times 1 dq 0x0705030200060401
  times 1 dq 0x0705030206040100
  times 1 dq 0x0705030100060402
  times 1 dq 0x0705030106040200
  times 1 dq 0x0705030006040201
  times 1 dq 0x0705030604020100
  times 1 dq 0x0705020100060403
  times 1 dq 0x0705020106040300
  times 1 dq 0x0705020006040301
  times 1 dq 0x0705020604030100
  times 1 dq 0x0705010006040302
  times 1 dq 0x0705010604030200
  times 1 dq 0x0705000604030201
  times 1 dq 0x0705060403020100
  times 1 dq 0x0704030201000605
  times 1 dq 0x0704030201060500
  times 1 dq 0x0704030200060501
  times 1 dq 0x0704030206050100
  times 1 dq 0x0704030100060502
  times 1 dq 0x0704030106050200
  times 1 dq 0x0704030006050201
  times 1 dq 0x0704030605020100
  times 1 dq 0x0704020100060503
  times 1 dq 0x0704020106050300
  times 1 dq 0x0704020006050301
  times 1 dq 0x0704020605030100
  times 1 dq 0x0704010006050302
  times 1 dq 0x0704010605030200
  times 1 dq 0x0704000605030201
  times 1 dq 0x0704060503020100
  times 1 dq 0x0703020100060504
  times 1 dq 0x0703020106050400
  times 1 dq 0x0703020006050401
  times 1 dq 0x0703020605040100
  times 1 dq 0x0703010006050402
  times 1 dq 0x0703010605040200
  times 1 dq 0x0703000605040201
  times 1 dq 0x0703060504020100
  times 1 dq 0x0702010006050403
  times 1 dq 0x0702010605040300
  times 1 dq 0x0702000605040301
  times 1 dq 0x0702060504030100
  times 1 dq 0x0701000605040302
  times 1 dq 0x0701060504030200
  times 1 dq 0x0700060504030201
  times 1 dq 0x0706050403020100
  times 1 dq 0x0605040302010007
  times 1 dq 0x0605040302010700
  times 1 dq 0x0605040302000701
  times 1 dq 0x0605040302070100
  times 1 dq 0x0605040301000702
  times 1 dq 0x0605040301070200
  times 1 dq 0x0605040300070201
  times 1 dq 0x0605040307020100
  times 1 dq 0x0605040201000703
  times 1 dq 0x0605040201070300
  times 1 dq 0x0605040200070301
  times 1 dq 0x0605040207030100
  times 1 dq 0x0605040100070302
  times 1 dq 0x0605040107030200
  times 1 dq 0x0605040007030201
  times 1 dq 0x0605040703020100
  times 1 dq 0x0605030201000704
  times 1 dq 0x0605030201070400
  times 1 dq 0x0605030200070401
  times 1 dq 0x0605030207040100
  times 1 dq 0x0605030100070402
  times 1 dq 0x0605030107040200
  times 1 dq 0x0605030007040201
  times 1 dq 0x0605030704020100
  times 1 dq 0x0605020100070403
  times 1 dq 0x0605020107040300
  times 1 dq 0x0605020007040301
  times 1 dq 0x0605020704030100
  times 1 dq 0x0605010007040302
  times 1 dq 0x0605010704030200
  times 1 dq 0x0605000704030201
  times 1 dq 0x0605070403020100
  times 1 dq 0x0604030201000705
  times 1 dq 0x0604030201070500
  times 1 dq 0x0604030200070501
  times 1 dq 0x0604030207050100
  times 1 dq 0x0604030100070502
  times 1 dq 0x0604030107050200
  times 1 dq 0x0604030007050201
  times 1 dq 0x0604030705020100
  times 1 dq 0x0604020100070503
  times 1 dq 0x0604020107050300
  times 1 dq 0x0604020007050301
  times 1 dq 0x0604020705030100
  times 1 dq 0x0604010007050302
  times 1 dq 0x0604010705030200
  times 1 dq 0x0604000705030201
  times 1 dq 0x0604070503020100
  times 1 dq 0x0603020100070504
  times 1 dq 0x0603020107050400
  times 1 dq 0x0603020007050401
  times 1 dq 0x0603020705040100
  times 1 dq 0x0603010007050402
  times 1 dq 0x0603010705040200
  times 1 dq 0x0603000705040201
  times 1 dq 0x0603070504020100
  times 1 dq 0x0602010007050403
  times 1 dq 0x0602010705040300
  times 1 dq 0x0602000705040301
  times 1 dq 0x0602070504030100
  times 1 dq 0x0601000705040302
  times 1 dq 0x0601070504030200
  times 1 dq 0x0600070504030201
  times 1 dq 0x0607050403020100
  times 1 dq 0x0504030201000706
  times 1 dq 0x0504030201070600
  times 1 dq 0x0504030200070601
  times 1 dq 0x0504030207060100
  times 1 dq 0x0504030100070602
  times 1 dq 0x0504030107060200
  times 1 dq 0x0504030007060201
  times 1 dq 0x0504030706020100
  times 1 dq 0x0504020100070603
  times 1 dq 0x0504020107060300
  times 1 dq 0x0504020007060301
  times 1 dq 0x0504020706030100
  times 1 dq 0x0504010007060302
  times 1 dq 0x0504010706030200
  times 1 dq 0x0504000706030201
  times 1 dq 0x0504070603020100
  times 1 dq 0x0503020100070604
  times 1 dq 0x0503020107060400
  times 1 dq 0x0503020007060401
  times 1 dq 0x0503020706040100
  times 1 dq 0x0503010007060402
  times 1 dq 0x0503010706040200
  times 1 dq 0x0503000706040201
  times 1 dq 0x0503070604020100
  times 1 dq 0x0502010007060403
  times 1 dq 0x0502010706040300
  times 1 dq 0x0502000706040301
  times 1 dq 0x0502070604030100
  times 1 dq 0x0501000706040302
  times 1 dq 0x0501070604030200
  times 1 dq 0x0500070604030201
  times 1 dq 0x0507060403020100
  times 1 dq 0x0403020100070605
  times 1 dq 0x0403020107060500
  times 1 dq 0x0403020007060501
  times 1 dq 0x0403020706050100
  times 1 dq 0x0403010007060502
  times 1 dq 0x0403010706050200
  times 1 dq 0x0403000706050201
  times 1 dq 0x0403070605020100
  times 1 dq 0x0402010007060503
  times 1 dq 0x0402010706050300
  times 1 dq 0x0402000706050301
  times 1 dq 0x0402070605030100
  times 1 dq 0x0401000706050302
  times 1 dq 0x0401070605030200
  times 1 dq 0x0400070605030201
  times 1 dq 0x0407060503020100
  times 1 dq 0x0302010007060504
  times 1 dq 0x0302010706050400
  times 1 dq 0x0302000706050401
  times 1 dq 0x0302070605040100
  times 1 dq 0x0301000706050402
  times 1 dq 0x0301070605040200
  times 1 dq 0x0300070605040201
  times 1 dq 0x0307060504020100
  times 1 dq 0x0201000706050403
  times 1 dq 0x0201070605040300
  times 1 dq 0x0200070605040301
  times 1 dq 0x0207060504030100
  times 1 dq 0x0100070605040302
  times 1 dq 0x0107060504030200
  times 1 dq 0x0007060504030201
  times 1 dq 0x0706050403020100
  times 2 dq 0x0000000000000000
  times 2 dq 0x0706050403020100
  times 1 dq 0x0706050401000302
  times 1 dq 0x0706050403020100
  times 1 dq 0x0706030201000504
  times 1 dq 0x0706030205040100
  times 1 dq 0x0706010005040302
  times 1 dq 0x0706050403020100
  times 1 dq 0x0504030201000706
  times 1 dq 0x0504030207060100
  times 1 dq 0x0504010007060302
  times 1 dq 0x0504070603020100
  times 1 dq 0x0302010007060504
  times 1 dq 0x0302070605040100
  times 1 dq 0x0100070605040302
  times 1 dq 0x0706050403020100
  times 8 dq 0x0000000000000000
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
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L2
  vmovdqu ymm0,[rbp]
  vmovdqu ymm1,[rbp+20h]
  vmovdqu ymm2,[rbp+40h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vmovdqu ymm3,[r8+rsi*4]
  vmovdqu ymm4,[r8+rsi*4+20h]
  mov r14,[rdi+40h]
  vpbroadcastw ymm5,[r14+rdx]
  vpand ymm6,ymm5,ymm0
  vpcmpeqd ymm6,ymm6,ymm0
  vpand ymm5,ymm5,ymm1
  vpcmpeqd ymm5,ymm5,ymm1
  vmovdqu ymm7,[r9+rsi*4]
  vmovdqu ymm8,[r9+rsi*4+20h]
  vpcmpeqd ymm9,ymm3,ymm7
  vpcmpeqd ymm10,ymm4,ymm8
  vpblendvb ymm7,ymm7,ymm3,ymm6
  vpblendvb ymm8,ymm8,ymm4,ymm5
  vpbroadcastw ymm4,[r11+rdx]
  vpand ymm3,ymm4,ymm0
  vpcmpeqd ymm3,ymm3,ymm0
  vpand ymm4,ymm4,ymm1
  vpcmpeqd ymm4,ymm4,ymm1
  vpand ymm9,ymm9,ymm6
  vpand ymm10,ymm10,ymm5
  vpackssdw ymm10,ymm9,ymm10
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm2,ymm10
  vpmovmskb eax,xmm10
  vpackssdw ymm10,ymm3,ymm4
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm2,ymm10
  vpmovmskb ebx,xmm10
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  vpackssdw ymm10,ymm6,ymm5
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm2,ymm10
  vpmovmskb eax,xmm10
  vpackssdw ymm10,ymm3,ymm4
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm2,ymm10
  vpmovmskb ebx,xmm10
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpand ymm10,ymm7,ymm3
  vpand ymm8,ymm8,ymm4
  vmovmskps eax,ymm3
  vpmovzxbd ymm7,[rbp+rax*8+60h]
  vpermd ymm7,ymm7,ymm10
  vmovmskps eax,ymm4
  vpmovzxbd ymm10,[rbp+rax*8+60h]
  vpermd ymm10,ymm10,ymm8
  vmovdqu [r13+r15*4],ymm7
  vmovmskps eax,ymm3
  popcnt eax,eax
  add rax,r15
  vmovdqu [r13+rax*4],ymm10
  vmovdqu ymm10,[r10+rsi*8]
  vmovdqu ymm7,[r10+rsi*8+20h]
  vmovdqu ymm8,[r10+rsi*8+40h]
  vmovdqu ymm5,[r10+rsi*8+60h]
  mov r14,[rdi+60h]
  vpbroadcastw ymm6,[r14+rdx]
  vpand ymm9,ymm6,ymm0
  vpcmpeqd ymm9,ymm9,ymm0
  vpand ymm6,ymm6,ymm1
  vpcmpeqd ymm6,ymm6,ymm1
  vextracti128 xmm11,ymm9,1
  vpmovsxdq ymm12,xmm9
  vpmovsxdq ymm11,xmm11
  vpand ymm12,ymm10,ymm12
  vpand ymm11,ymm7,ymm11
  vextracti128 xmm7,ymm6,1
  vpmovsxdq ymm10,xmm6
  vpmovsxdq ymm7,xmm7
  vpand ymm10,ymm8,ymm10
  vpand ymm7,ymm5,ymm7
  vextracti128 xmm5,ymm3,1
  vpmovsxdq ymm8,xmm3
  vpmovsxdq ymm5,xmm5
  vpand ymm12,ymm12,ymm8
  vpand ymm11,ymm11,ymm5
  vmovmskpd eax,ymm8
  vpmovzxbd ymm13,[rbp+rax*8+870h]
  vpermd ymm13,ymm13,ymm12
  vmovmskpd eax,ymm5
  vpmovzxbd ymm5,[rbp+rax*8+870h]
  vpermd ymm5,ymm5,ymm11
  mov r14,[rdi+98h]
  vmovdqu [r14+r15*8],ymm13
  vmovmskpd eax,ymm8
  popcnt eax,eax
  add rax,r15
  vmovdqu [r14+rax*8],ymm5
  vextracti128 xmm5,ymm4,1
  vpmovsxdq ymm13,xmm4
  vpmovsxdq ymm5,xmm5
  vpand ymm10,ymm10,ymm13
  vpand ymm7,ymm7,ymm5
  vmovmskpd eax,ymm13
  vpmovzxbd ymm8,[rbp+rax*8+870h]
  vpermd ymm8,ymm8,ymm10
  vmovmskpd eax,ymm5
  vpmovzxbd ymm5,[rbp+rax*8+870h]
  vpermd ymm5,ymm5,ymm7
  mov r14,[rdi+98h]
  vmovmskps ebx,ymm3
  popcnt ebx,ebx
  add rbx,r15
  vmovdqu [r14+rbx*8],ymm8
  vmovmskpd eax,ymm13
  popcnt eax,eax
  add rax,rbx
  vmovdqu [r14+rax*8],ymm5
  mov r14,[rdi+0A0h]
  vpackssdw ymm5,ymm9,ymm6
  vpacksswb ymm5,ymm5,ymm5
  vpermd ymm5,ymm2,ymm5
  vpmovmskb eax,xmm5
  vpackssdw ymm5,ymm3,ymm4
  vpacksswb ymm5,ymm5,ymm5
  vpermd ymm5,ymm2,ymm5
  vpmovmskb ebx,xmm5
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpackssdw ymm5,ymm3,ymm4
  vpacksswb ymm5,ymm5,ymm5
  vpermd ymm5,ymm2,ymm5
  vpmovmskb eax,xmm5
  popcnt eax,eax
  add r15,rax
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L6
  vmovdqu ymm0,[rbp]
  vmovdqu ymm1,[rbp+20h]
  vmovdqu ymm2,[rbp+40h]
  vpbroadcastq ymm3,[rbp+868h]
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
  mov r14,[rdi+40h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L3
  movzx eax,word ptr [r14+rdx]
L3:
  vmovd xmm8,eax
  vpbroadcastw ymm8,xmm8
  vpand ymm9,ymm8,ymm0
  vpcmpeqd ymm9,ymm9,ymm0
  vpand ymm8,ymm8,ymm1
  vpcmpeqd ymm8,ymm8,ymm1
  vpmaskmovd ymm10,ymm5,[r9+rsi*4]
  vpmaskmovd ymm11,ymm4,[r9+rsi*4+20h]
  vpcmpeqd ymm12,ymm6,ymm10
  vpcmpeqd ymm13,ymm7,ymm11
  vpblendvb ymm10,ymm10,ymm6,ymm9
  vpblendvb ymm11,ymm11,ymm7,ymm8
  movzx eax,byte ptr [r11+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L4
  movzx eax,word ptr [r11+rdx]
L4:
  vmovd xmm7,eax
  vpbroadcastw ymm7,xmm7
  vpand ymm6,ymm7,ymm0
  vpcmpeqd ymm6,ymm6,ymm0
  vpand ymm7,ymm7,ymm1
  vpcmpeqd ymm7,ymm7,ymm1
  vpand ymm6,ymm6,ymm5
  vpand ymm7,ymm7,ymm4
  vpand ymm12,ymm12,ymm9
  vpand ymm13,ymm13,ymm8
  vpackssdw ymm13,ymm12,ymm13
  vpacksswb ymm13,ymm13,ymm13
  vpermd ymm13,ymm2,ymm13
  vpmovmskb eax,xmm13
  vpackssdw ymm13,ymm6,ymm7
  vpacksswb ymm13,ymm13,ymm13
  vpermd ymm13,ymm2,ymm13
  vpmovmskb ebx,xmm13
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  vpackssdw ymm13,ymm9,ymm8
  vpacksswb ymm13,ymm13,ymm13
  vpermd ymm13,ymm2,ymm13
  vpmovmskb eax,xmm13
  vpackssdw ymm13,ymm6,ymm7
  vpacksswb ymm13,ymm13,ymm13
  vpermd ymm13,ymm2,ymm13
  vpmovmskb ebx,xmm13
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpand ymm13,ymm10,ymm6
  vpand ymm11,ymm11,ymm7
  vmovmskps eax,ymm6
  vpmovzxbd ymm10,[rbp+rax*8+60h]
  vpermd ymm10,ymm10,ymm13
  vmovmskps eax,ymm7
  vpmovzxbd ymm13,[rbp+rax*8+60h]
  vpermd ymm13,ymm13,ymm11
  vmovdqu [rbp+910h],ymm3
  vmovdqu [rbp+8F0h],ymm10
  vmovmskps eax,ymm6
  popcnt eax,eax
  vmovdqu [rbp+rax*4+8F0h],ymm13
  vmovdqu ymm13,[rbp+8F0h]
  vmovdqu ymm10,[rbp+910h]
  vpackssdw ymm11,ymm6,ymm7
  vpacksswb ymm11,ymm11,ymm11
  vpermd ymm11,ymm2,ymm11
  vpmovmskb eax,xmm11
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm11,ebx
  vpbroadcastw ymm11,xmm11
  vpand ymm8,ymm11,ymm0
  vpcmpeqd ymm8,ymm8,ymm0
  vpand ymm11,ymm11,ymm1
  vpcmpeqd ymm11,ymm11,ymm1
  vpmaskmovd [r13+r15*4],ymm8,ymm13
  vpmaskmovd [r13+r15*4+20h],ymm11,ymm10
  vextracti128 xmm11,ymm5,1
  vpmovsxdq ymm5,xmm5
  vpmovsxdq ymm11,xmm11
  vpmaskmovq ymm5,ymm5,[r10+rsi*8]
  vpmaskmovq ymm11,ymm11,[r10+rsi*8+20h]
  vextracti128 xmm8,ymm4,1
  vpmovsxdq ymm4,xmm4
  vpmovsxdq ymm8,xmm8
  vpmaskmovq ymm4,ymm4,[r10+rsi*8+40h]
  vpmaskmovq ymm8,ymm8,[r10+rsi*8+60h]
  mov r14,[rdi+60h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r14+rdx]
L5:
  vmovd xmm10,eax
  vpbroadcastw ymm10,xmm10
  vpand ymm13,ymm10,ymm0
  vpcmpeqd ymm13,ymm13,ymm0
  vpand ymm10,ymm10,ymm1
  vpcmpeqd ymm10,ymm10,ymm1
  vextracti128 xmm9,ymm13,1
  vpmovsxdq ymm12,xmm13
  vpmovsxdq ymm9,xmm9
  vpand ymm12,ymm5,ymm12
  vpand ymm9,ymm11,ymm9
  vextracti128 xmm11,ymm10,1
  vpmovsxdq ymm5,xmm10
  vpmovsxdq ymm11,xmm11
  vpand ymm5,ymm4,ymm5
  vpand ymm11,ymm8,ymm11
  vextracti128 xmm8,ymm6,1
  vpmovsxdq ymm4,xmm6
  vpmovsxdq ymm8,xmm8
  vpand ymm12,ymm12,ymm4
  vpand ymm9,ymm9,ymm8
  vmovmskpd eax,ymm4
  vpmovzxbd ymm14,[rbp+rax*8+870h]
  vpermd ymm14,ymm14,ymm12
  vmovmskpd eax,ymm8
  vpmovzxbd ymm8,[rbp+rax*8+870h]
  vpermd ymm8,ymm8,ymm9
  vmovdqu [rbp+910h],ymm3
  vmovdqu [rbp+8F0h],ymm14
  vmovmskpd eax,ymm4
  popcnt eax,eax
  vmovdqu [rbp+rax*8+8F0h],ymm8
  vmovdqu ymm8,[rbp+8F0h]
  vmovdqu ymm14,[rbp+910h]
  vmovmskps eax,ymm6
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm4,ebx
  vpbroadcastw ymm4,xmm4
  vpand ymm4,ymm4,ymm0
  vpcmpeqd ymm4,ymm4,ymm0
  mov r14,[rdi+98h]
  vextracti128 xmm9,ymm4,1
  vpmovsxdq ymm4,xmm4
  vpmovsxdq ymm9,xmm9
  vpmaskmovq [r14+r15*8],ymm4,ymm8
  vpmaskmovq [r14+r15*8+20h],ymm9,ymm14
  vextracti128 xmm9,ymm7,1
  vpmovsxdq ymm4,xmm7
  vpmovsxdq ymm9,xmm9
  vpand ymm5,ymm5,ymm4
  vpand ymm11,ymm11,ymm9
  vmovmskpd eax,ymm4
  vpmovzxbd ymm14,[rbp+rax*8+870h]
  vpermd ymm14,ymm14,ymm5
  vmovmskpd eax,ymm9
  vpmovzxbd ymm9,[rbp+rax*8+870h]
  vpermd ymm9,ymm9,ymm11
  vmovdqu [rbp+910h],ymm3
  vmovdqu [rbp+8F0h],ymm14
  vmovmskpd eax,ymm4
  popcnt eax,eax
  vmovdqu [rbp+rax*8+8F0h],ymm9
  vmovdqu ymm9,[rbp+8F0h]
  vmovdqu ymm14,[rbp+910h]
  vmovmskps eax,ymm7
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm4,ebx
  vpbroadcastw ymm4,xmm4
  vpand ymm4,ymm4,ymm0
  vpcmpeqd ymm4,ymm4,ymm0
  mov r14,[rdi+98h]
  vmovmskps ebx,ymm6
  popcnt ebx,ebx
  add rbx,r15
  vextracti128 xmm11,ymm4,1
  vpmovsxdq ymm4,xmm4
  vpmovsxdq ymm11,xmm11
  vpmaskmovq [r14+rbx*8],ymm4,ymm9
  vpmaskmovq [r14+rbx*8+20h],ymm11,ymm14
  mov r14,[rdi+0A0h]
  vpackssdw ymm11,ymm13,ymm10
  vpacksswb ymm11,ymm11,ymm11
  vpermd ymm11,ymm2,ymm11
  vpmovmskb eax,xmm11
  vpackssdw ymm11,ymm6,ymm7
  vpacksswb ymm11,ymm11,ymm11
  vpermd ymm11,ymm2,ymm11
  vpmovmskb ebx,xmm11
; … 28 more lines with the checksum 0308149413075736
