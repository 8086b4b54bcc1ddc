; AVX-512
; scratch memory: 64 bytes, starting with
  times 1 dq 0x3f0000003f000000
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
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  vpbroadcastq zmm2,[rbp+10h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vmovdqu32 zmm3,[r8+rsi*4]
  vcmpnge_uqps k1,zmm0,zmm3
  vmovdqa64 zmm4,zmm1
  vfixupimmps zmm4,zmm3,zmm2,0
  vpcompressd zmm4{k1}{z},zmm4
  vmovdqu32 [r11+r15*4],zmm4
  vmovdqu64 zmm4,[r9+rsi*8]
  vmovdqu64 zmm3,[r9+rsi*8+40h]
  mov r14,[rdi+50h]
  kmovw k2,[r14+rdx]
  vmovdqa64 zmm4{k2}{z},zmm4
  kshiftrw k3,k2,8
  vmovdqa64 zmm3{k3}{z},zmm3
  vpcompressq zmm4{k1}{z},zmm4
  vmovdqu64 [r12+r15*8],zmm4
  kshiftrw k3,k1,8
  vpcompressq zmm4{k3}{z},zmm3
  kmovb ebx,k1
  popcnt ebx,ebx
  add rbx,r15
  vmovdqu64 [r12+rbx*8],zmm4
  mov r14,[rdi+80h]
  kmovw eax,k2
  kmovw ebx,k1
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw k3,[r10+rdx]
  mov r14,[rdi+60h]
  kmovw k2,[r14+rdx]
  kandw k3,k3,k2
  kmovw eax,k3
  kmovw ebx,k1
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r13+rbx],eax
  mov r14,[rdi+90h]
  kmovw eax,k2
  kmovw ebx,k1
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw eax,k1
  popcnt eax,eax
  add r15,rax
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L6
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  vpbroadcastq zmm2,[rbp+10h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu32 zmm3{k1}{z},[r8+rsi*4]
  vcmpnge_uqps k2,zmm0,zmm3
  kandw k2,k2,k1
  vmovdqa64 zmm4,zmm1
  vfixupimmps zmm4,zmm3,zmm2,0
  vpcompressd zmm4{k2}{z},zmm4
  kmovw eax,k2
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k3,ebx
  vmovdqu32 [r11+r15*4]{k3},zmm4
  vmovdqu64 zmm4{k1}{z},[r9+rsi*8]
  kshiftrw k3,k1,8
  vmovdqu64 zmm3{k3}{z},[r9+rsi*8+40h]
  mov r14,[rdi+50h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L3
  movzx eax,word ptr [r14+rdx]
L3:
  kmovw k3,eax
  vmovdqa64 zmm4{k3}{z},zmm4
  kshiftrw k1,k3,8
  vmovdqa64 zmm3{k1}{z},zmm3
  vpcompressq zmm4{k2}{z},zmm4
  kmovb eax,k2
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  vmovdqu64 [r12+r15*8]{k1},zmm4
  kshiftrw k1,k2,8
  vpcompressq zmm4{k1}{z},zmm3
  kmovb eax,k1
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k1,ebx
  kmovb ebx,k2
  popcnt ebx,ebx
  add rbx,r15
  vmovdqu64 [r12+rbx*8]{k1},zmm4
  mov r14,[rdi+80h]
  kmovw eax,k3
  kmovw ebx,k2
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  movzx eax,byte ptr [r10+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L4
  movzx eax,word ptr [r10+rdx]
L4:
  kmovw k1,eax
  mov r14,[rdi+60h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r14+rdx]
L5:
  kmovw k3,eax
  kandw k1,k1,k3
  kmovw eax,k1
  kmovw ebx,k2
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r13+rbx],eax
  mov r14,[rdi+90h]
  kmovw eax,k3
  kmovw ebx,k2
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw eax,k2
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
; scratch memory: 2432 bytes, starting with
  times 1 dq 0x3f0000003f000000
  times 1 dq 0x7fc000007fc00000
  times 1 dq 0x1111110011111100
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
  times 1 dq 0x0000000000000000
  times 1 dq 0x0000000200000001
  times 1 dq 0x0000000800000004
  times 1 dq 0x0000002000000010
  times 1 dq 0x0000008000000040
  times 1 dq 0x0000020000000100
  times 1 dq 0x0000080000000400
  times 1 dq 0x0000200000001000
  times 1 dq 0x0000800000004000
  times 1 dq 0x0000000000000000
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
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
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
  vpbroadcastq ymm0,[rbp]
  vpbroadcastq ymm1,[rbp+8]
  vmovdqu ymm2,[rbp+820h]
  vmovdqu ymm3,[rbp+840h]
  vmovdqu ymm4,[rbp+8E8h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax]
L1:
  vmovdqu ymm5,[r8+rsi*4]
  vmovdqu ymm6,[r8+rsi*4+20h]
  vcmpnge_uqps ymm7,ymm0,ymm5
  vcmpnge_uqps ymm8,ymm0,ymm6
  vcmpunordps ymm9,ymm5,ymm5
  vpblendvb ymm9,ymm5,ymm1,ymm9
  vcmpunordps ymm5,ymm6,ymm6
  vpblendvb ymm5,ymm6,ymm1,ymm5
  vpand ymm9,ymm9,ymm7
  vpand ymm5,ymm5,ymm8
  vmovmskps eax,ymm7
  vpmovzxbd ymm6,[rbp+rax*8+18h]
  vpermd ymm6,ymm6,ymm9
  vmovmskps eax,ymm8
  vpmovzxbd ymm9,[rbp+rax*8+18h]
  vpermd ymm9,ymm9,ymm5
  vmovdqu [r11+r15*4],ymm6
  vmovmskps eax,ymm7
  popcnt eax,eax
  add rax,r15
  vmovdqu [r11+rax*4],ymm9
  vmovdqu ymm9,[r9+rsi*8]
  vmovdqu ymm6,[r9+rsi*8+20h]
  vmovdqu ymm5,[r9+rsi*8+40h]
  vmovdqu ymm10,[r9+rsi*8+60h]
  mov r14,[rdi+50h]
  vpbroadcastw ymm11,[r14+rdx]
  vpand ymm12,ymm11,ymm2
  vpcmpeqd ymm12,ymm12,ymm2
  vpand ymm11,ymm11,ymm3
  vpcmpeqd ymm11,ymm11,ymm3
  vextracti128 xmm13,ymm12,1
  vpmovsxdq ymm14,xmm12
  vpmovsxdq ymm13,xmm13
  vpand ymm14,ymm9,ymm14
  vpand ymm13,ymm6,ymm13
  vextracti128 xmm6,ymm11,1
  vpmovsxdq ymm9,xmm11
  vpmovsxdq ymm6,xmm6
  vpand ymm9,ymm5,ymm9
  vpand ymm6,ymm10,ymm6
  vextracti128 xmm10,ymm7,1
  vpmovsxdq ymm5,xmm7
  vpmovsxdq ymm10,xmm10
  vpand ymm14,ymm14,ymm5
  vpand ymm13,ymm13,ymm10
  vmovmskpd eax,ymm5
  vpmovzxbd ymm15,[rbp+rax*8+868h]
  vpermd ymm15,ymm15,ymm14
  vmovmskpd eax,ymm10
  vpmovzxbd ymm10,[rbp+rax*8+868h]
  vpermd ymm10,ymm10,ymm13
  vmovdqu [r12+r15*8],ymm15
  vmovmskpd eax,ymm5
  popcnt eax,eax
  add rax,r15
  vmovdqu [r12+rax*8],ymm10
  vextracti128 xmm10,ymm8,1
  vpmovsxdq ymm15,xmm8
  vpmovsxdq ymm10,xmm10
  vpand ymm9,ymm9,ymm15
  vpand ymm6,ymm6,ymm10
  vmovmskpd eax,ymm15
  vpmovzxbd ymm5,[rbp+rax*8+868h]
  vpermd ymm5,ymm5,ymm9
  vmovmskpd eax,ymm10
  vpmovzxbd ymm10,[rbp+rax*8+868h]
  vpermd ymm10,ymm10,ymm6
  vmovmskps ebx,ymm7
  popcnt ebx,ebx
  add rbx,r15
  vmovdqu [r12+rbx*8],ymm5
  vmovmskpd eax,ymm15
  popcnt eax,eax
  add rax,rbx
  vmovdqu [r12+rax*8],ymm10
  mov r14,[rdi+80h]
  vpackssdw ymm10,ymm12,ymm11
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb eax,xmm10
  vpackssdw ymm10,ymm7,ymm8
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb ebx,xmm10
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpbroadcastw ymm10,[r10+rdx]
  vpand ymm5,ymm10,ymm2
  vpcmpeqd ymm5,ymm5,ymm2
  vpand ymm10,ymm10,ymm3
  vpcmpeqd ymm10,ymm10,ymm3
  mov r14,[rdi+60h]
  vpbroadcastw ymm15,[r14+rdx]
  vpand ymm11,ymm15,ymm2
  vpcmpeqd ymm11,ymm11,ymm2
  vpand ymm15,ymm15,ymm3
  vpcmpeqd ymm15,ymm15,ymm3
  vpand ymm5,ymm5,ymm11
  vpand ymm10,ymm10,ymm15
  vpackssdw ymm10,ymm5,ymm10
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb eax,xmm10
  vpackssdw ymm10,ymm7,ymm8
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb ebx,xmm10
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r13+rbx],eax
  mov r14,[rdi+90h]
  vpackssdw ymm10,ymm11,ymm15
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb eax,xmm10
  vpackssdw ymm10,ymm7,ymm8
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb ebx,xmm10
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpackssdw ymm10,ymm7,ymm8
  vpacksswb ymm10,ymm10,ymm10
  vpermd ymm10,ymm4,ymm10
  vpmovmskb eax,xmm10
  popcnt eax,eax
  add r15,rax
  add rsi,10h
  add rdx,2
  cmp rsi,[rdi+30h]
  jle L1
L2:
  cmp rsi,rcx
  jae L6
  vmovdqu ymm0,[rbp+820h]
  vmovdqu ymm1,[rbp+840h]
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
  vpmaskmovd ymm4,ymm3,[r8+rsi*4]
  vpmaskmovd ymm5,ymm2,[r8+rsi*4+20h]
  vpbroadcastq ymm13,[rbp]
  vcmpnge_uqps ymm6,ymm13,ymm4
  vcmpnge_uqps ymm7,ymm13,ymm5
  vpand ymm6,ymm6,ymm3
  vpand ymm7,ymm7,ymm2
  vcmpunordps ymm8,ymm4,ymm4
  vpbroadcastq ymm14,[rbp+8]
  vpblendvb ymm8,ymm4,ymm14,ymm8
  vcmpunordps ymm4,ymm5,ymm5
  vpblendvb ymm4,ymm5,ymm14,ymm4
  vpand ymm8,ymm8,ymm6
  vpand ymm4,ymm4,ymm7
  vmovmskps eax,ymm6
  vpmovzxbd ymm5,[rbp+rax*8+18h]
  vpermd ymm5,ymm5,ymm8
  vmovmskps eax,ymm7
  vpmovzxbd ymm8,[rbp+rax*8+18h]
  vpermd ymm8,ymm8,ymm4
  vpbroadcastq ymm15,[rbp+860h]
  vmovdqu [rbp+928h],ymm15
  vmovdqu [rbp+908h],ymm5
  vmovmskps eax,ymm6
  popcnt eax,eax
  vmovdqu [rbp+rax*4+908h],ymm8
  vmovdqu ymm8,[rbp+908h]
  vmovdqu ymm5,[rbp+928h]
  vpackssdw ymm4,ymm6,ymm7
  vpacksswb ymm4,ymm4,ymm4
  vmovdqu ymm13,[rbp+8E8h]
  vpermd ymm4,ymm13,ymm4
  vpmovmskb eax,xmm4
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm4,ebx
  vpbroadcastw ymm4,xmm4
  vpand ymm9,ymm4,ymm0
  vpcmpeqd ymm9,ymm9,ymm0
  vpand ymm4,ymm4,ymm1
  vpcmpeqd ymm4,ymm4,ymm1
  vpmaskmovd [r11+r15*4],ymm9,ymm8
  vpmaskmovd [r11+r15*4+20h],ymm4,ymm5
  vextracti128 xmm4,ymm3,1
  vpmovsxdq ymm3,xmm3
  vpmovsxdq ymm4,xmm4
  vpmaskmovq ymm3,ymm3,[r9+rsi*8]
  vpmaskmovq ymm4,ymm4,[r9+rsi*8+20h]
  vextracti128 xmm9,ymm2,1
  vpmovsxdq ymm2,xmm2
  vpmovsxdq ymm9,xmm9
  vpmaskmovq ymm2,ymm2,[r9+rsi*8+40h]
  vpmaskmovq ymm9,ymm9,[r9+rsi*8+60h]
  mov r14,[rdi+50h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L3
  movzx eax,word ptr [r14+rdx]
L3:
  vmovd xmm5,eax
  vpbroadcastw ymm5,xmm5
  vpand ymm8,ymm5,ymm0
  vpcmpeqd ymm8,ymm8,ymm0
  vpand ymm5,ymm5,ymm1
  vpcmpeqd ymm5,ymm5,ymm1
  vextracti128 xmm10,ymm8,1
  vpmovsxdq ymm11,xmm8
  vpmovsxdq ymm10,xmm10
  vpand ymm11,ymm3,ymm11
  vpand ymm10,ymm4,ymm10
  vextracti128 xmm4,ymm5,1
  vpmovsxdq ymm3,xmm5
  vpmovsxdq ymm4,xmm4
  vpand ymm3,ymm2,ymm3
  vpand ymm4,ymm9,ymm4
  vextracti128 xmm9,ymm6,1
  vpmovsxdq ymm2,xmm6
  vpmovsxdq ymm9,xmm9
  vpand ymm11,ymm11,ymm2
  vpand ymm10,ymm10,ymm9
  vmovmskpd eax,ymm2
  vpmovzxbd ymm12,[rbp+rax*8+868h]
  vpermd ymm12,ymm12,ymm11
  vmovmskpd eax,ymm9
  vpmovzxbd ymm9,[rbp+rax*8+868h]
  vpermd ymm9,ymm9,ymm10
  vpbroadcastq ymm13,[rbp+860h]
  vmovdqu [rbp+928h],ymm13
  vmovdqu [rbp+908h],ymm12
  vmovmskpd eax,ymm2
  popcnt eax,eax
  vmovdqu [rbp+rax*8+908h],ymm9
  vmovdqu ymm9,[rbp+908h]
  vmovdqu ymm12,[rbp+928h]
  vmovmskps eax,ymm6
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm2,ebx
  vpbroadcastw ymm2,xmm2
  vpand ymm2,ymm2,ymm0
  vpcmpeqd ymm2,ymm2,ymm0
  vextracti128 xmm10,ymm2,1
  vpmovsxdq ymm2,xmm2
  vpmovsxdq ymm10,xmm10
  vpmaskmovq [r12+r15*8],ymm2,ymm9
  vpmaskmovq [r12+r15*8+20h],ymm10,ymm12
  vextracti128 xmm10,ymm7,1
  vpmovsxdq ymm2,xmm7
  vpmovsxdq ymm10,xmm10
  vpand ymm3,ymm3,ymm2
  vpand ymm4,ymm4,ymm10
  vmovmskpd eax,ymm2
  vpmovzxbd ymm12,[rbp+rax*8+868h]
  vpermd ymm12,ymm12,ymm3
  vmovmskpd eax,ymm10
  vpmovzxbd ymm10,[rbp+rax*8+868h]
  vpermd ymm10,ymm10,ymm4
  vmovdqu [rbp+928h],ymm13
  vmovdqu [rbp+908h],ymm12
  vmovmskpd eax,ymm2
  popcnt eax,eax
  vmovdqu [rbp+rax*8+908h],ymm10
  vmovdqu ymm10,[rbp+908h]
  vmovdqu ymm12,[rbp+928h]
  vmovmskps eax,ymm7
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  vmovd xmm2,ebx
  vpbroadcastw ymm2,xmm2
  vpand ymm2,ymm2,ymm0
  vpcmpeqd ymm2,ymm2,ymm0
  vmovmskps ebx,ymm6
  popcnt ebx,ebx
  add rbx,r15
  vextracti128 xmm4,ymm2,1
  vpmovsxdq ymm2,xmm2
  vpmovsxdq ymm4,xmm4
  vpmaskmovq [r12+rbx*8],ymm2,ymm10
  vpmaskmovq [r12+rbx*8+20h],ymm4,ymm12
  mov r14,[rdi+80h]
  vpackssdw ymm4,ymm8,ymm5
  vpacksswb ymm4,ymm4,ymm4
  vmovdqu ymm14,[rbp+8E8h]
  vpermd ymm4,ymm14,ymm4
  vpmovmskb eax,xmm4
  vpackssdw ymm4,ymm6,ymm7
  vpacksswb ymm4,ymm4,ymm4
  vpermd ymm4,ymm14,ymm4
  vpmovmskb ebx,xmm4
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  movzx eax,byte ptr [r10+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L4
  movzx eax,word ptr [r10+rdx]
L4:
  vmovd xmm4,eax
  vpbroadcastw ymm4,xmm4
  vpand ymm2,ymm4,ymm0
  vpcmpeqd ymm2,ymm2,ymm0
  vpand ymm4,ymm4,ymm1
  vpcmpeqd ymm4,ymm4,ymm1
  mov r14,[rdi+60h]
  movzx eax,byte ptr [r14+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L5
  movzx eax,word ptr [r14+rdx]
L5:
  vmovd xmm12,eax
  vpbroadcastw ymm12,xmm12
  vpand ymm10,ymm12,ymm0
  vpcmpeqd ymm10,ymm10,ymm0
  vpand ymm12,ymm12,ymm1
  vpcmpeqd ymm12,ymm12,ymm1
  vpand ymm2,ymm2,ymm10
  vpand ymm4,ymm4,ymm12
  vpackssdw ymm4,ymm2,ymm4
  vpacksswb ymm4,ymm4,ymm4
  vmovdqu ymm13,[rbp+8E8h]
  vpermd ymm4,ymm13,ymm4
  vpmovmskb eax,xmm4
  vpackssdw ymm4,ymm6,ymm7
  vpacksswb ymm4,ymm4,ymm4
  vpermd ymm4,ymm13,ymm4
  vpmovmskb ebx,xmm4
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r13+rbx],eax
  mov r14,[rdi+90h]
; … 36 more lines with the checksum f18c90628b9ba948
