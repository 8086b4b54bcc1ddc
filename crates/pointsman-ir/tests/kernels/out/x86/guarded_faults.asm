; AVX-512
; scratch memory: 384 bytes, starting with
  times 1 dq 0x0000000000000000
  times 1 dq 0x8000000080000000
  times 1 dq 0xffffffffffffffff
  times 1 dq 0x000000000000ffff
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
  mov r13,[rdi+60h]
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
  vpbroadcastq zmm3,[rdi+88h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
L1:
  vmovdqu32 zmm4,[r9+rsi*4]
  vpsubd zmm5,zmm4,zmm4
  vpcmpeqd k5,zmm4,zmm5
  kmovw [rbp+0C0h],k5
  vmovdqu32 zmm5,[r8+rsi*4]
  vpcmpeqd k2,zmm4,zmm0
  vpcmpeqd k3,zmm5,zmm1
  vpcmpeqd k3{k3},zmm4,zmm2
  korw k6,k2,k3
  kmovw [rbp+80h],k6
  vextracti64x4 ymm6,zmm5,1
  vextracti64x4 ymm7,zmm4,1
  vcvtdq2pd zmm8,ymm5
  vcvtdq2pd zmm9,ymm4
  vdivpd zmm9,zmm8,zmm9
  vcvttpd2dq ymm9,zmm9
  vcvtdq2pd zmm6,ymm6
  vcvtdq2pd zmm7,ymm7
  vdivpd zmm7,zmm6,zmm7
  vcvttpd2dq ymm7,zmm7
  vinserti64x4 zmm7,zmm9,ymm7,1
  vpblendmd zmm7{k5},zmm7,zmm3
  vpcmpeqd k7,zmm4,zmm0
  kmovw [rbp+40h],k7
  vextracti64x4 ymm9,zmm5,1
  vextracti64x4 ymm6,zmm4,1
  vcvtdq2pd zmm8,ymm5
  vcvtdq2pd zmm10,ymm4
  vdivpd zmm10,zmm8,zmm10
  vcvttpd2dq ymm10,zmm10
  vcvtdq2pd zmm9,ymm9
  vcvtdq2pd zmm6,ymm6
  vdivpd zmm6,zmm9,zmm6
  vcvttpd2dq ymm6,zmm6
  vinserti64x4 zmm6,zmm10,ymm6,1
  vpmulld zmm6,zmm6,zmm4
  vpsubd zmm6,zmm5,zmm6
  vpcmpltd k4,zmm3,zmm6
  kmovw k2,[r10+rdx]
  kmovw k6,[r13+rdx]
  kmovw [rbp+100h],k6
  kmovw k5,[rbp+18h]
  kandw k1,k6,k5
  kandnw k3,k2,k6
  korw k3,k1,k3
  kandnw k1,k4,k5
  korw k1,k3,k1
  kandw k4,k2,k4
  kandw k2,k6,k2
  kandnw k3,k6,k5
  korw k3,k2,k3
  kmovw k7,[rbp+0C0h]
  knotw k2,k7
  kmovw k6,[rbp+80h]
  kandw k2,k6,k2
  kmovw k5,[rbp+40h]
  kandw k3,k5,k3
  korw k3,k2,k3
  kmovw eax,k3
  test eax,eax
  jne L5
  kmovw k7,[rbp+18h]
  vpcompressd zmm6{k7}{z},zmm7
  vmovdqu32 [r11+r15*4],zmm6
  kandw k3,k4,k1
  kmovw eax,k3
  kmovw ebx,k7
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  kmovw eax,k1
  kmovw ebx,k7
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw eax,k7
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
  vpbroadcastq zmm3,[rdi+88h]
  mov eax,ecx
  sub eax,esi
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k5,ebx
  kmovw [rbp+40h],k5
  vmovdqu32 zmm4{k5}{z},[r9+rsi*4]
  vpsubd zmm5,zmm4,zmm4
  vpcmpeqd k6,zmm4,zmm5
  kmovw [rbp+100h],k6
  vmovdqu32 zmm5{k5}{z},[r8+rsi*4]
  vpcmpeqd k3,zmm4,zmm0
  vpcmpeqd k4,zmm5,zmm1
  vpcmpeqd k4{k4},zmm4,zmm2
  korw k7,k3,k4
  kmovw [rbp+0C0h],k7
  vextracti64x4 ymm6,zmm5,1
  vextracti64x4 ymm7,zmm4,1
  vcvtdq2pd zmm8,ymm5
  vcvtdq2pd zmm9,ymm4
  vdivpd zmm9,zmm8,zmm9
  vcvttpd2dq ymm9,zmm9
  vcvtdq2pd zmm6,ymm6
  vcvtdq2pd zmm7,ymm7
  vdivpd zmm7,zmm6,zmm7
  vcvttpd2dq ymm7,zmm7
  vinserti64x4 zmm7,zmm9,ymm7,1
  vpblendmd zmm7{k6},zmm7,zmm3
  vpcmpeqd k5,zmm4,zmm0
  kmovw [rbp+80h],k5
  vextracti64x4 ymm9,zmm5,1
  vextracti64x4 ymm6,zmm4,1
  vcvtdq2pd zmm8,ymm5
  vcvtdq2pd zmm10,ymm4
  vdivpd zmm10,zmm8,zmm10
  vcvttpd2dq ymm10,zmm10
  vcvtdq2pd zmm9,ymm9
  vcvtdq2pd zmm6,ymm6
  vdivpd zmm6,zmm9,zmm6
  vcvttpd2dq ymm6,zmm6
  vinserti64x4 zmm6,zmm10,ymm6,1
  vpmulld zmm6,zmm6,zmm4
  vpsubd zmm6,zmm5,zmm6
  vpcmpltd k1,zmm3,zmm6
  movzx eax,byte ptr [r10+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L3
  movzx eax,word ptr [r10+rdx]
L3:
  kmovw k3,eax
  movzx eax,byte ptr [r13+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L4
  movzx eax,word ptr [r13+rdx]
L4:
  kmovw k5,eax
  kmovw [rbp+140h],k5
  kmovw k6,[rbp+18h]
  kandw k2,k5,k6
  kandnw k4,k3,k5
  korw k4,k2,k4
  kandnw k2,k1,k6
  korw k2,k4,k2
  kandw k1,k3,k1
  kandw k3,k5,k3
  kandnw k4,k5,k6
  korw k4,k3,k4
  kmovw k7,[rbp+100h]
  knotw k3,k7
  kmovw k5,[rbp+0C0h]
  kandw k3,k5,k3
  kmovw k6,[rbp+80h]
  kandw k4,k6,k4
  korw k4,k3,k4
  kmovw k7,[rbp+40h]
  kandw k4,k4,k7
  kmovw eax,k4
  test eax,eax
  jne L5
  vpcompressd zmm6{k7}{z},zmm7
  kmovw eax,k7
  popcnt eax,eax
  mov ebx,0FFFFFFFFh
  bzhi ebx,ebx,eax
  kmovw k4,ebx
  vmovdqu32 [r11+r15*4]{k4},zmm6
  kandw k4,k1,k2
  kmovw eax,k4
  kmovw ebx,k7
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  kmovw eax,k2
  kmovw ebx,k7
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  kmovw eax,k7
  popcnt eax,eax
  add r15,rax
  jmp L6
L5:
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
; scratch memory: 2528 bytes, starting with
  times 1 dq 0x0000000000000000
  times 1 dq 0x8000000080000000
  times 1 dq 0xffffffffffffffff
  times 1 dq 0x000000000000ffff
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
  times 9 dq 0x0000000000000000
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
  mov r13,[rdi+60h]
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
  nop [rax+rax]
L1:
  vmovdqu ymm0,[r9+rsi*4]
  vmovdqu ymm1,[r9+rsi*4+20h]
  vpsubd ymm2,ymm0,ymm0
  vpsubd ymm3,ymm1,ymm1
  vpcmpeqd ymm2,ymm0,ymm2
  vpcmpeqd ymm3,ymm1,ymm3
  vmovdqu ymm4,[r8+rsi*4]
  vmovdqu ymm5,[r8+rsi*4+20h]
  vpbroadcastq ymm13,[rbp]
  vpcmpeqd ymm6,ymm0,ymm13
  vpcmpeqd ymm7,ymm1,ymm13
  vpbroadcastq ymm14,[rbp+8]
  vpcmpeqd ymm8,ymm4,ymm14
  vpcmpeqd ymm9,ymm5,ymm14
  vpbroadcastq ymm15,[rbp+10h]
  vpcmpeqd ymm10,ymm0,ymm15
  vpcmpeqd ymm11,ymm1,ymm15
  vpand ymm10,ymm10,ymm8
  vpand ymm11,ymm11,ymm9
  vpor ymm10,ymm6,ymm10
  vpor ymm13,ymm7,ymm11
  vmovdqu [rbp+980h],ymm13
  vextracti128 xmm7,ymm4,1
  vcvtdq2pd ymm6,xmm4
  vcvtdq2pd ymm7,xmm7
  vextracti128 xmm9,ymm0,1
  vcvtdq2pd ymm8,xmm0
  vcvtdq2pd ymm9,xmm9
  vdivpd ymm8,ymm6,ymm8
  vdivpd ymm9,ymm7,ymm9
  vcvttpd2dq xmm8,ymm8
  vcvttpd2dq xmm9,ymm9
  vinserti128 ymm9,ymm8,xmm9,1
  vextracti128 xmm8,ymm5,1
  vcvtdq2pd ymm7,xmm5
  vcvtdq2pd ymm8,xmm8
  vextracti128 xmm6,ymm1,1
  vcvtdq2pd ymm12,xmm1
  vcvtdq2pd ymm6,xmm6
  vdivpd ymm12,ymm7,ymm12
  vdivpd ymm6,ymm8,ymm6
  vcvttpd2dq xmm12,ymm12
  vcvttpd2dq xmm6,ymm6
  vinserti128 ymm6,ymm12,xmm6,1
  vpbroadcastq ymm14,[rdi+88h]
  vpblendvb ymm15,ymm9,ymm14,ymm2
  vmovdqu [rbp+920h],ymm15
  vpblendvb ymm13,ymm6,ymm14,ymm3
  vmovdqu [rbp+900h],ymm13
  vpbroadcastq ymm15,[rbp]
  vpcmpeqd ymm14,ymm0,ymm15
  vmovdqu [rbp+960h],ymm14
  vpcmpeqd ymm13,ymm1,ymm15
  vmovdqu [rbp+940h],ymm13
  vextracti128 xmm7,ymm4,1
  vcvtdq2pd ymm6,xmm4
  vcvtdq2pd ymm7,xmm7
  vextracti128 xmm9,ymm0,1
  vcvtdq2pd ymm8,xmm0
  vcvtdq2pd ymm9,xmm9
  vdivpd ymm8,ymm6,ymm8
  vdivpd ymm9,ymm7,ymm9
  vcvttpd2dq xmm8,ymm8
  vcvttpd2dq xmm9,ymm9
  vinserti128 ymm9,ymm8,xmm9,1
  vextracti128 xmm8,ymm5,1
  vcvtdq2pd ymm7,xmm5
  vcvtdq2pd ymm8,xmm8
  vextracti128 xmm6,ymm1,1
  vcvtdq2pd ymm12,xmm1
  vcvtdq2pd ymm6,xmm6
  vdivpd ymm7,ymm7,ymm12
  vdivpd ymm6,ymm8,ymm6
  vcvttpd2dq xmm7,ymm7
  vcvttpd2dq xmm6,ymm6
  vinserti128 ymm6,ymm7,xmm6,1
  vpmulld ymm9,ymm9,ymm0
  vpmulld ymm6,ymm6,ymm1
  vpsubd ymm9,ymm4,ymm9
  vpsubd ymm6,ymm5,ymm6
  vpbroadcastq ymm14,[rdi+88h]
  vpcmpgtd ymm9,ymm9,ymm14
  vpcmpgtd ymm6,ymm6,ymm14
  vpbroadcastw ymm5,[r10+rdx]
  vmovdqu ymm15,[rbp+20h]
  vpand ymm4,ymm5,ymm15
  vpcmpeqd ymm4,ymm4,ymm15
  vmovdqu ymm13,[rbp+40h]
  vpand ymm5,ymm5,ymm13
  vpcmpeqd ymm5,ymm5,ymm13
  vpbroadcastw ymm1,[r13+rdx]
  vpand ymm0,ymm1,ymm15
  vpcmpeqd ymm0,ymm0,ymm15
  vpand ymm1,ymm1,ymm13
  vpcmpeqd ymm1,ymm1,ymm13
  vpbroadcastw ymm14,[rbp+18h]
  vpand ymm7,ymm0,ymm14
  vpand ymm8,ymm1,ymm14
  vpandn ymm12,ymm4,ymm0
  vpandn ymm11,ymm5,ymm1
  vpor ymm12,ymm7,ymm12
  vpor ymm8,ymm8,ymm11
  vpandn ymm11,ymm9,ymm14
  vpandn ymm7,ymm6,ymm14
  vpor ymm11,ymm12,ymm11
  vpor ymm7,ymm8,ymm7
  vpand ymm9,ymm4,ymm9
  vpand ymm6,ymm5,ymm6
  vpand ymm4,ymm0,ymm4
  vpand ymm5,ymm1,ymm5
  vpandn ymm0,ymm0,ymm14
  vpandn ymm1,ymm1,ymm14
  vpor ymm0,ymm4,ymm0
  vpor ymm1,ymm5,ymm1
  vpbroadcastq ymm15,[rbp+10h]
  vpxor ymm2,ymm2,ymm15
  vpxor ymm3,ymm3,ymm15
  vpand ymm2,ymm10,ymm2
  vmovdqu ymm13,[rbp+980h]
  vpand ymm3,ymm13,ymm3
  vmovdqu ymm14,[rbp+960h]
  vpand ymm0,ymm14,ymm0
  vmovdqu ymm15,[rbp+940h]
  vpand ymm1,ymm15,ymm1
  vpor ymm0,ymm2,ymm0
  vpor ymm1,ymm3,ymm1
  vpackssdw ymm1,ymm0,ymm1
  vpacksswb ymm1,ymm1,ymm1
  vmovdqu ymm13,[rbp+60h]
  vpermd ymm1,ymm13,ymm1
  vpmovmskb eax,xmm1
  test eax,eax
  jne L5
  vmovdqu ymm14,[rbp+920h]
  vpbroadcastw ymm15,[rbp+18h]
  vpand ymm1,ymm14,ymm15
  vmovdqu ymm13,[rbp+900h]
  vpand ymm0,ymm13,ymm15
  vmovmskps eax,ymm15
  vpmovzxbd ymm3,[rbp+rax*8+80h]
  vpermd ymm3,ymm3,ymm1
  vmovmskps eax,ymm15
  vpmovzxbd ymm1,[rbp+rax*8+80h]
  vpermd ymm1,ymm1,ymm0
  vmovdqu [r11+r15*4],ymm3
  vmovmskps eax,ymm15
  popcnt eax,eax
  add rax,r15
  vmovdqu [r11+rax*4],ymm1
  vpand ymm1,ymm9,ymm11
  vpand ymm6,ymm6,ymm7
  vpackssdw ymm6,ymm1,ymm6
  vpacksswb ymm6,ymm6,ymm6
  vmovdqu ymm14,[rbp+60h]
  vpermd ymm6,ymm14,ymm6
  vpmovmskb eax,xmm6
  vpackssdw ymm6,ymm15,ymm15
  vpacksswb ymm6,ymm6,ymm6
  vpermd ymm6,ymm14,ymm6
  vpmovmskb ebx,xmm6
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r12+rbx],eax
  mov r14,[rdi+80h]
  vpackssdw ymm6,ymm11,ymm7
  vpacksswb ymm6,ymm6,ymm6
  vpermd ymm6,ymm14,ymm6
  vpmovmskb eax,xmm6
  vpackssdw ymm6,ymm15,ymm15
  vpacksswb ymm6,ymm6,ymm6
  vpermd ymm6,ymm14,ymm6
  vpmovmskb ebx,xmm6
  pext eax,eax,ebx
  mov ebx,r15d
  and ebx,7
  shlx eax,eax,ebx
  mov rbx,r15
  shr rbx,3
  or [r14+rbx],eax
  vpackssdw ymm6,ymm15,ymm15
  vpacksswb ymm6,ymm6,ymm6
  vpermd ymm6,ymm14,ymm6
  vpmovmskb eax,xmm6
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
  vmovd xmm0,ebx
  vpbroadcastw ymm0,xmm0
  vmovdqu ymm13,[rbp+20h]
  vpand ymm1,ymm0,ymm13
  vpcmpeqd ymm14,ymm1,ymm13
  vmovdqu [rbp+920h],ymm14
  vmovdqu ymm15,[rbp+40h]
  vpand ymm0,ymm0,ymm15
  vpcmpeqd ymm13,ymm0,ymm15
  vmovdqu [rbp+900h],ymm13
  vpmaskmovd ymm2,ymm14,[r9+rsi*4]
  vpmaskmovd ymm3,ymm13,[r9+rsi*4+20h]
  vpsubd ymm4,ymm2,ymm2
  vpsubd ymm5,ymm3,ymm3
  vpcmpeqd ymm4,ymm2,ymm4
  vpcmpeqd ymm5,ymm3,ymm5
  vpmaskmovd ymm6,ymm14,[r8+rsi*4]
  vpmaskmovd ymm7,ymm13,[r8+rsi*4+20h]
  vpbroadcastq ymm15,[rbp]
  vpcmpeqd ymm8,ymm2,ymm15
  vpcmpeqd ymm9,ymm3,ymm15
  vpbroadcastq ymm14,[rbp+8]
  vpcmpeqd ymm10,ymm6,ymm14
  vpcmpeqd ymm11,ymm7,ymm14
  vpbroadcastq ymm13,[rbp+10h]
  vpcmpeqd ymm12,ymm2,ymm13
  vpcmpeqd ymm0,ymm3,ymm13
  vpand ymm12,ymm12,ymm10
  vpand ymm11,ymm0,ymm11
  vpor ymm12,ymm8,ymm12
  vpor ymm15,ymm9,ymm11
  vmovdqu [rbp+9C0h],ymm15
  vextracti128 xmm9,ymm6,1
  vcvtdq2pd ymm8,xmm6
  vcvtdq2pd ymm9,xmm9
  vextracti128 xmm0,ymm2,1
  vcvtdq2pd ymm10,xmm2
  vcvtdq2pd ymm0,xmm0
  vdivpd ymm10,ymm8,ymm10
  vdivpd ymm0,ymm9,ymm0
  vcvttpd2dq xmm10,ymm10
  vcvttpd2dq xmm0,ymm0
  vinserti128 ymm0,ymm10,xmm0,1
  vextracti128 xmm10,ymm7,1
  vcvtdq2pd ymm9,xmm7
  vcvtdq2pd ymm10,xmm10
  vextracti128 xmm8,ymm3,1
  vcvtdq2pd ymm1,xmm3
  vcvtdq2pd ymm8,xmm8
  vdivpd ymm9,ymm9,ymm1
  vdivpd ymm8,ymm10,ymm8
  vcvttpd2dq xmm9,ymm9
  vcvttpd2dq xmm8,ymm8
  vinserti128 ymm8,ymm9,xmm8,1
  vpbroadcastq ymm14,[rdi+88h]
  vpblendvb ymm13,ymm0,ymm14,ymm4
  vmovdqu [rbp+960h],ymm13
  vpblendvb ymm15,ymm8,ymm14,ymm5
  vmovdqu [rbp+940h],ymm15
  vpbroadcastq ymm13,[rbp]
  vpcmpeqd ymm14,ymm2,ymm13
  vmovdqu [rbp+9A0h],ymm14
  vpcmpeqd ymm15,ymm3,ymm13
  vmovdqu [rbp+980h],ymm15
  vextracti128 xmm1,ymm6,1
  vcvtdq2pd ymm8,xmm6
  vcvtdq2pd ymm1,xmm1
  vextracti128 xmm0,ymm2,1
  vcvtdq2pd ymm10,xmm2
  vcvtdq2pd ymm0,xmm0
  vdivpd ymm10,ymm8,ymm10
  vdivpd ymm0,ymm1,ymm0
  vcvttpd2dq xmm10,ymm10
  vcvttpd2dq xmm0,ymm0
  vinserti128 ymm0,ymm10,xmm0,1
  vextracti128 xmm10,ymm7,1
  vcvtdq2pd ymm1,xmm7
  vcvtdq2pd ymm10,xmm10
  vextracti128 xmm8,ymm3,1
  vcvtdq2pd ymm9,xmm3
  vcvtdq2pd ymm8,xmm8
  vdivpd ymm1,ymm1,ymm9
  vdivpd ymm8,ymm10,ymm8
  vcvttpd2dq xmm1,ymm1
  vcvttpd2dq xmm8,ymm8
  vinserti128 ymm8,ymm1,xmm8,1
  vpmulld ymm0,ymm0,ymm2
  vpmulld ymm8,ymm8,ymm3
  vpsubd ymm0,ymm6,ymm0
  vpsubd ymm8,ymm7,ymm8
  vpbroadcastq ymm14,[rdi+88h]
  vpcmpgtd ymm0,ymm0,ymm14
  vpcmpgtd ymm8,ymm8,ymm14
  movzx eax,byte ptr [r10+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L3
  movzx eax,word ptr [r10+rdx]
L3:
  vmovd xmm7,eax
  vpbroadcastw ymm7,xmm7
  vmovdqu ymm13,[rbp+20h]
  vpand ymm6,ymm7,ymm13
  vpcmpeqd ymm6,ymm6,ymm13
  vmovdqu ymm14,[rbp+40h]
  vpand ymm7,ymm7,ymm14
  vpcmpeqd ymm7,ymm7,ymm14
  movzx eax,byte ptr [r13+rdx]
  lea rbx,[rsi+8]
  cmp rbx,rcx
  jae L4
  movzx eax,word ptr [r13+rdx]
L4:
  vmovd xmm3,eax
  vpbroadcastw ymm3,xmm3
  vmovdqu ymm13,[rbp+20h]
  vpand ymm2,ymm3,ymm13
  vpcmpeqd ymm2,ymm2,ymm13
  vmovdqu ymm14,[rbp+40h]
  vpand ymm3,ymm3,ymm14
  vpcmpeqd ymm3,ymm3,ymm14
  vpbroadcastw ymm15,[rbp+18h]
  vpand ymm1,ymm2,ymm15
  vpand ymm10,ymm3,ymm15
  vpandn ymm9,ymm6,ymm2
  vpandn ymm11,ymm7,ymm3
  vpor ymm9,ymm1,ymm9
  vpor ymm10,ymm10,ymm11
  vpandn ymm11,ymm0,ymm15
  vpandn ymm1,ymm8,ymm15
  vpor ymm11,ymm9,ymm11
  vpor ymm1,ymm10,ymm1
  vpand ymm0,ymm6,ymm0
  vpand ymm8,ymm7,ymm8
  vpand ymm6,ymm2,ymm6
  vpand ymm7,ymm3,ymm7
  vpandn ymm2,ymm2,ymm15
  vpandn ymm3,ymm3,ymm15
  vpor ymm2,ymm6,ymm2
  vpor ymm3,ymm7,ymm3
  vpbroadcastq ymm13,[rbp+10h]
  vpxor ymm4,ymm4,ymm13
  vpxor ymm5,ymm5,ymm13
  vpand ymm4,ymm12,ymm4
  vmovdqu ymm14,[rbp+9C0h]
  vpand ymm5,ymm14,ymm5
  vmovdqu ymm15,[rbp+9A0h]
  vpand ymm2,ymm15,ymm2
  vmovdqu ymm13,[rbp+980h]
  vpand ymm3,ymm13,ymm3
  vpor ymm2,ymm4,ymm2
  vpor ymm3,ymm5,ymm3
  vmovdqu ymm14,[rbp+920h]
  vpand ymm2,ymm2,ymm14
  vmovdqu ymm15,[rbp+900h]
  vpand ymm3,ymm3,ymm15
  vpackssdw ymm3,ymm2,ymm3
  vpacksswb ymm3,ymm3,ymm3
  vmovdqu ymm13,[rbp+60h]
  vpermd ymm3,ymm13,ymm3
  vpmovmskb eax,xmm3
  test eax,eax
  jne L5
  vmovdqu ymm14,[rbp+960h]
  vmovdqu ymm15,[rbp+920h]
  vpand ymm3,ymm14,ymm15
  vmovdqu ymm13,[rbp+940h]
  vmovdqu ymm14,[rbp+900h]
  vpand ymm2,ymm13,ymm14
  vmovmskps eax,ymm15
  vpmovzxbd ymm5,[rbp+rax*8+80h]
  vpermd ymm5,ymm5,ymm3
  vmovmskps eax,ymm14
  vpmovzxbd ymm3,[rbp+rax*8+80h]
  vpermd ymm3,ymm3,ymm2
  vpbroadcastq ymm13,[rbp]
  vmovdqu [rbp+8A8h],ymm13
  vmovdqu [rbp+888h],ymm5
; … 80 more lines with the checksum 132a9587590cedc4
