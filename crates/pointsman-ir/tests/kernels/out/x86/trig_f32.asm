; AVX-512
; scratch memory: 1280 bytes, starting with
  times 1 dq 0x3f22f9833f22f983
  times 1 dq 0x4b4000004b400000
  times 1 dq 0xbfc90fdbbfc90fdb
  times 1 dq 0x333bbd2e333bbd2e
  times 1 dq 0x26f72ced26f72ced
  times 1 dq 0x8000000080000000
  times 1 dq 0x4780000047800000
  times 1 dq 0x7fc000007fc00000
  times 1 dq 0x000000000000ffff
  times 36 dq 0x0000000000000000
  times 1 dq 0x00000000007fffff
  times 1 dq 0x0000000000800000
  times 1 dq 0x0000000000000017
  times 1 dq 0x000000000000003f
  times 1 dq 0x0000000000000078
  times 1 dq 0x0000000000000005
  times 1 dq 0x000000000000001f
  times 1 dq 0x0000000000000004
  times 1 dq 0x00000000f534ddc0
  times 1 dq 0x00000000db629599
  times 1 dq 0x00000000a2f9836e
  times 1 dq 0x000000003c439041
  times 1 dq 0x000000004e441529
  times 1 dq 0x00000000fe5163ab
  times 1 dq 0x00000000fc2757d1
  times 1 dq 0x00000000debbc561
  times 1 dq 0x00000000b7246e3a
  times 1 dq 0x00000000424dd2e0
  times 1 dq 0x0000000000000002
  times 1 dq 0x0000000000000001
  times 1 dq 0x0000000000000020
  times 1 dq 0x00000000ffffffff
  times 1 dq 0x2000000000000000
  times 1 dq 0x000000000000003e
  times 1 dq 0xdf000000df000000
  times 1 dq 0x5f0000005f000000
  times 1 dq 0x8000000000000000
  times 1 dq 0x7fffffffffffffff
  times 1 dq 0x20c90fdb20c90fdb
  times 1 dq 0x943bbd2e943bbd2e
  times 1 dq 0xffffffff80000000
  times 1 dq 0x000000007fffffff
  times 1 dq 0xb94c9065b94c9065
  times 1 dq 0x3c08836a3c08836a
  times 1 dq 0xbe2aaaa2be2aaaa2
  times 1 dq 0x37cce5dc37cce5dc
  times 1 dq 0xbab605e3bab605e3
  times 1 dq 0x3d2aaaa53d2aaaa5
  times 1 dq 0xbf000000bf000000
  times 1 dq 0x3f8000003f800000
  times 1 dq 0x0000000100000001
  times 1 dq 0x0000001e0000001e
  times 1 dq 0x0000001f0000001f
  times 70 dq 0x0000000000000000
  times 1 dq 0x3f0000003f000000
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
  jg L8
  vpbroadcastq zmm0,[rbp]
  vpbroadcastq zmm1,[rbp+8]
  kmovw k1,[rbp+40h]
  kmovw k2,[rbp+148h]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax+rax]
  nop [rax]
L1:
  vmovdqu32 zmm2,[r8+rsi*4]
  vmovdqa64 zmm3,zmm2
  vfmadd213ps zmm3,zmm0,zmm1
  vsubps zmm4,zmm3,zmm1
  vmovdqa64 zmm5,zmm4
  vpbroadcastq zmm29,[rbp+10h]
  vfmadd213ps zmm5,zmm29,zmm2
  vmovdqa64 zmm6,zmm4
  vpbroadcastq zmm30,[rbp+18h]
  vfmadd213ps zmm6,zmm30,zmm5
  vmovdqa64 zmm5,zmm4
  vpbroadcastq zmm31,[rbp+20h]
  vfmadd213ps zmm5,zmm31,zmm6
  vpbroadcastq zmm29,[rbp+28h]
  vpandnq zmm6,zmm29,zmm2
  vpbroadcastq zmm30,[rbp+30h]
  vcmpnge_uqps k3,zmm30,zmm6
  vcmpunordps k4,zmm3,zmm3
  vpbroadcastq zmm31,[rbp+38h]
  vpblendmd zmm3{k4},zmm3,zmm31
  kandw k4,k1,k3
  vmovdqu32 [rbp+48h],zmm5
  vmovdqu32 [rbp+0C8h],zmm3
  kmovw [rbp+150h],k4
  kmovw [rbp+158h],k2
  mov dword ptr [rbp+160h],0
  kortestw k4,k4
  je L3
L2:
  vcmpunordps k4,zmm6,zmm6
  vpbroadcastq zmm29,[rbp+38h]
  vpblendmd zmm4{k4},zmm6,zmm29
  vextracti64x4 ymm7,zmm4,1
  vpmovsxdq zmm4,ymm4
  vpmovsxdq zmm7,ymm7
  vpbroadcastq zmm30,[rbp+168h]
  vpandq zmm8,zmm4,zmm30
  vpandq zmm9,zmm7,zmm30
  vpbroadcastq zmm31,[rbp+170h]
  vporq zmm8,zmm8,zmm31
  vporq zmm9,zmm9,zmm31
  vpbroadcastq zmm29,[rbp+178h]
  vpbroadcastq zmm30,[rbp+180h]
  vpandq zmm10,zmm29,zmm30
  vpsravq zmm10,zmm4,zmm10
  vpandq zmm4,zmm29,zmm30
  vpsravq zmm4,zmm7,zmm4
  vpbroadcastq zmm31,[rbp+188h]
  vpsubq zmm10,zmm10,zmm31
  vpsubq zmm4,zmm4,zmm31
  vpbroadcastq zmm29,[rbp+190h]
  vpandq zmm7,zmm29,zmm30
  vpsravq zmm7,zmm10,zmm7
  vpandq zmm11,zmm29,zmm30
  vpsravq zmm11,zmm4,zmm11
  vpbroadcastq zmm31,[rbp+198h]
  vpandq zmm10,zmm10,zmm31
  vpandq zmm4,zmm4,zmm31
  vpbroadcastq zmm29,[rbp+1A0h]
  vpandq zmm12,zmm7,zmm29
  vpandq zmm13,zmm11,zmm29
  vpbroadcastq zmm30,[rbp+148h]
  vpcmpeqq k4,zmm12,zmm30
  vpcmpeqq k5,zmm13,zmm30
  kunpckbw k5,k5,k4
  knotw k5,k5
  vpbroadcastq zmm31,[rbp+1A8h]
  vpblendmq zmm13{k5},zmm30,zmm31
  kshiftrw k4,k5,8
  vpblendmq zmm12{k4},zmm30,zmm31
  vpbroadcastq zmm29,[rbp+1B8h]
  vpbroadcastq zmm30,[rbp+1B0h]
  vpblendmq zmm14{k5},zmm29,zmm30
  vpblendmq zmm15{k4},zmm29,zmm30
  vpbroadcastq zmm31,[rbp+1C8h]
  vpbroadcastq zmm29,[rbp+1C0h]
  vpblendmq zmm16{k5},zmm31,zmm29
  vpblendmq zmm17{k4},zmm31,zmm29
  vpbroadcastq zmm30,[rbp+1D8h]
  vpbroadcastq zmm31,[rbp+1D0h]
  vpblendmq zmm18{k5},zmm30,zmm31
  vpblendmq zmm19{k4},zmm30,zmm31
  vpbroadcastq zmm29,[rbp+1A8h]
  vpbroadcastq zmm30,[rbp+1E0h]
  vpblendmq zmm20{k5},zmm29,zmm30
  vpblendmq zmm21{k4},zmm29,zmm30
  vpbroadcastq zmm31,[rbp+1B0h]
  vpbroadcastq zmm29,[rbp+1E8h]
  vpblendmq zmm22{k5},zmm31,zmm29
  vpblendmq zmm23{k4},zmm31,zmm29
  vpbroadcastq zmm30,[rbp+1C0h]
  vpbroadcastq zmm31,[rbp+1F0h]
  vpblendmq zmm24{k5},zmm30,zmm31
  vpblendmq zmm25{k4},zmm30,zmm31
  vpbroadcastq zmm29,[rbp+1F8h]
  vpandq zmm26,zmm7,zmm29
  vpandq zmm27,zmm11,zmm29
  vpbroadcastq zmm30,[rbp+148h]
  vpcmpeqq k4,zmm26,zmm30
  vpcmpeqq k5,zmm27,zmm30
  kunpckbw k5,k5,k4
  knotw k5,k5
  vpblendmq zmm27{k5},zmm13,zmm16
  kshiftrw k4,k5,8
  vpblendmq zmm12{k4},zmm12,zmm17
  vpblendmq zmm14{k5},zmm14,zmm18
  vpblendmq zmm15{k4},zmm15,zmm19
  vpblendmq zmm16{k5},zmm16,zmm20
  vpblendmq zmm17{k4},zmm17,zmm21
  vpblendmq zmm22{k5},zmm18,zmm22
  vpblendmq zmm23{k4},zmm19,zmm23
  vpblendmq zmm24{k5},zmm20,zmm24
  vpblendmq zmm25{k4},zmm21,zmm25
  vpbroadcastq zmm31,[rbp+200h]
  vpandq zmm7,zmm7,zmm31
  vpandq zmm11,zmm11,zmm31
  vpcmpeqq k4,zmm7,zmm30
  vpcmpeqq k5,zmm11,zmm30
  kunpckbw k5,k5,k4
  knotw k5,k5
  vpblendmq zmm11{k5},zmm27,zmm14
  kshiftrw k4,k5,8
  vpblendmq zmm12{k4},zmm12,zmm15
  vpblendmq zmm14{k5},zmm14,zmm16
  vpblendmq zmm15{k4},zmm15,zmm17
  vpblendmq zmm16{k5},zmm16,zmm22
  vpblendmq zmm17{k4},zmm17,zmm23
  vpblendmq zmm24{k5},zmm22,zmm24
  vpblendmq zmm25{k4},zmm23,zmm25
  vpbroadcastq zmm29,[rbp+208h]
  vpbroadcastq zmm31,[rbp+180h]
  vpandq zmm23,zmm29,zmm31
  vpsllvq zmm23,zmm11,zmm23
  vpandq zmm11,zmm29,zmm31
  vpsllvq zmm11,zmm12,zmm11
  vporq zmm23,zmm23,zmm14
  vporq zmm11,zmm11,zmm15
  vpsubq zmm10,zmm29,zmm10
  vpsubq zmm4,zmm29,zmm4
  vpandq zmm12,zmm10,zmm31
  vpsravq zmm12,zmm23,zmm12
  vpandq zmm23,zmm4,zmm31
  vpsravq zmm23,zmm11,zmm23
  vpbroadcastq zmm30,[rbp+210h]
  vpandq zmm12,zmm12,zmm30
  vpandq zmm23,zmm23,zmm30
  vpandq zmm11,zmm29,zmm31
  vpsllvq zmm11,zmm14,zmm11
  vpandq zmm14,zmm29,zmm31
  vpsllvq zmm14,zmm15,zmm14
  vporq zmm11,zmm11,zmm16
  vporq zmm14,zmm14,zmm17
  vpandq zmm15,zmm10,zmm31
  vpsravq zmm15,zmm11,zmm15
  vpandq zmm11,zmm4,zmm31
  vpsravq zmm11,zmm14,zmm11
  vpandq zmm15,zmm15,zmm30
  vpandq zmm11,zmm11,zmm30
  vpandq zmm14,zmm29,zmm31
  vpsllvq zmm14,zmm16,zmm14
  vpandq zmm16,zmm29,zmm31
  vpsllvq zmm16,zmm17,zmm16
  vporq zmm14,zmm14,zmm24
  vporq zmm16,zmm16,zmm25
  vpandq zmm10,zmm10,zmm31
  vpsravq zmm10,zmm14,zmm10
  vpandq zmm4,zmm4,zmm31
  vpsravq zmm4,zmm16,zmm4
  vpandq zmm10,zmm10,zmm30
  vpandq zmm4,zmm4,zmm30
  vpandq zmm16,zmm29,zmm31
  vpsllvq zmm16,zmm12,zmm16
  vpandq zmm12,zmm29,zmm31
  vpsllvq zmm12,zmm23,zmm12
  vporq zmm16,zmm16,zmm15
  vporq zmm12,zmm12,zmm11
  vpmullq zmm16,zmm8,zmm16
  vpmullq zmm12,zmm9,zmm12
  vpmullq zmm10,zmm8,zmm10
  vpmullq zmm4,zmm9,zmm4
  vpandq zmm9,zmm29,zmm31
  vpsravq zmm9,zmm10,zmm9
  vpandq zmm10,zmm29,zmm31
  vpsravq zmm10,zmm4,zmm10
  vpaddq zmm9,zmm16,zmm9
  vpaddq zmm10,zmm12,zmm10
  vpbroadcastq zmm30,[rbp+218h]
  vpaddq zmm12,zmm9,zmm30
  vpaddq zmm16,zmm10,zmm30
  vpbroadcastq zmm29,[rbp+220h]
  vpandq zmm4,zmm29,zmm31
  vpsravq zmm4,zmm12,zmm4
  vpandq zmm12,zmm29,zmm31
  vpsravq zmm12,zmm16,zmm12
  vpandq zmm16,zmm29,zmm31
  vpsllvq zmm16,zmm4,zmm16
  vpandq zmm8,zmm29,zmm31
  vpsllvq zmm8,zmm12,zmm8
  vpsubq zmm16,zmm9,zmm16
  vpsubq zmm8,zmm10,zmm8
  vcvtqq2ps ymm10,zmm16
  vcvtqq2ps ymm9,zmm8
  vinserti64x4 zmm9,zmm10,ymm9,1
  vpbroadcastq zmm30,[rbp+228h]
  vcmplt_oqps k4,zmm9,zmm30
  vpbroadcastq zmm29,[rbp+230h]
  vcmple_oqps k5,zmm29,zmm9
  vcmpunordps k6,zmm9,zmm9
  vextracti64x4 ymm10,zmm9,1
  vcvttps2qq zmm11,ymm9
  vcvttps2qq zmm10,ymm10
  vpbroadcastq zmm31,[rbp+238h]
  vpblendmq zmm11{k4},zmm11,zmm31
  vpbroadcastq zmm30,[rbp+240h]
  vpblendmq zmm11{k5},zmm11,zmm30
  vpbroadcastq zmm29,[rbp+148h]
  vpblendmq zmm11{k6},zmm11,zmm29
  kshiftrw k4,k4,8
  vpblendmq zmm10{k4},zmm10,zmm31
  kshiftrw k4,k5,8
  vpblendmq zmm10{k4},zmm10,zmm30
  kshiftrw k4,k6,8
  vpblendmq zmm10{k4},zmm10,zmm29
  vpsubq zmm11,zmm16,zmm11
  vpsubq zmm10,zmm8,zmm10
  vcvtqq2ps ymm11,zmm11
  vcvtqq2ps ymm10,zmm10
  vinserti64x4 zmm10,zmm11,ymm10,1
  vpbroadcastq zmm31,[rbp+248h]
  vmulps zmm10,zmm10,zmm31
  vmovdqa64 zmm11,zmm9
  vpbroadcastq zmm30,[rbp+250h]
  vfmadd213ps zmm11,zmm30,zmm10
  vmovdqa64 zmm10,zmm9
  vfmadd213ps zmm10,zmm31,zmm11
  vmulps zmm11,zmm2,zmm29
  vaddps zmm11,zmm10,zmm11
  vpbroadcastq zmm30,[rbp+258h]
  vpmaxsq zmm4,zmm4,zmm30
  vpbroadcastq zmm31,[rbp+260h]
  vpminsq zmm4,zmm4,zmm31
  vpmaxsq zmm12,zmm12,zmm30
  vpminsq zmm12,zmm12,zmm31
  vpmovqd ymm4,zmm4
  vpmovqd ymm12,zmm12
  vinserti64x4 zmm12,zmm4,ymm12,1
  vcmpltps k4,zmm2,zmm29
  vpbroadcastq zmm30,[rbp+28h]
  vpxorq zmm4,zmm11,zmm30
  vblendmps zmm4{k4},zmm11,zmm4
  vpsubd zmm11,zmm29,zmm12
  vpblendmd zmm11{k4},zmm12,zmm11
  kmovw k4,[rbp+150h]
  kandw k4,k4,k3
  kmovw [rbp+150h],k4
  vmovdqu32 [rbp+48h]{k4},zmm4
  vmovdqu32 [rbp+0C8h]{k4},zmm11
  mov eax,[rbp+160h]
  add eax,1
  mov [rbp+160h],eax
  cmp eax,1
  jae L3
  kortestw k4,k4
  jne L2
L3:
  kmovw k4,[rbp+158h]
  vmovdqu64 zmm11,[rbp+48h]
  vmovdqu64 zmm4,[rbp+0C8h]
  vpbroadcastq zmm29,[rbp+148h]
  vcmpeqps k4,zmm2,zmm29
  vmulps zmm12,zmm11,zmm11
  vmulps zmm10,zmm11,zmm12
  vpbroadcastq zmm30,[rbp+268h]
  vmovdqa64 zmm9,zmm30
  vpbroadcastq zmm31,[rbp+270h]
  vfmadd213ps zmm9,zmm12,zmm31
  vmovdqa64 zmm9,zmm9
  vpbroadcastq zmm29,[rbp+278h]
  vfmadd213ps zmm9,zmm12,zmm29
  vmovdqa64 zmm10,zmm10
  vfmadd213ps zmm10,zmm9,zmm11
  vmulps zmm9,zmm12,zmm12
  vpbroadcastq zmm30,[rbp+280h]
  vmovdqa64 zmm11,zmm30
  vpbroadcastq zmm31,[rbp+288h]
  vfmadd213ps zmm11,zmm12,zmm31
  vmovdqa64 zmm11,zmm11
  vpbroadcastq zmm29,[rbp+290h]
  vfmadd213ps zmm11,zmm12,zmm29
  vmovdqa64 zmm12,zmm12
  vpbroadcastq zmm30,[rbp+298h]
  vpbroadcastq zmm31,[rbp+2A0h]
  vfmadd213ps zmm12,zmm30,zmm31
  vmovdqa64 zmm9,zmm9
  vfmadd213ps zmm9,zmm11,zmm12
  vpbroadcastq zmm29,[rbp+2A8h]
  vpandq zmm12,zmm4,zmm29
  vpbroadcastq zmm30,[rbp+148h]
  vpcmpeqd k6,zmm12,zmm30
  knotw k6,k6
  vblendmps zmm12{k6},zmm10,zmm9
  vpbroadcastq zmm31,[rbp+2B0h]
  vpbroadcastq zmm29,[rbp+2B8h]
  vpandq zmm9,zmm31,zmm29
  vpsllvd zmm9,zmm4,zmm9
  vpbroadcastq zmm30,[rbp+28h]
  vpandq zmm9,zmm9,zmm30
  vcmpunordps k6,zmm12,zmm12
  vpbroadcastq zmm31,[rbp+38h]
  vpblendmd zmm12{k6},zmm12,zmm31
  vpxorq zmm12,zmm12,zmm9
  vblendmps zmm12{k4},zmm12,zmm2
  kandw k6,k1,k3
  vmovdqu32 [rbp+2C0h],zmm5
  vmovdqu32 [rbp+340h],zmm3
  kmovw [rbp+3C0h],k6
  kmovw [rbp+3C8h],k2
  mov dword ptr [rbp+3D0h],0
  kortestw k6,k6
  je L5
L4:
  vcmpunordps k6,zmm6,zmm6
  vpbroadcastq zmm29,[rbp+38h]
  vpblendmd zmm9{k6},zmm6,zmm29
  vextracti64x4 ymm4,zmm9,1
  vpmovsxdq zmm9,ymm9
  vpmovsxdq zmm4,ymm4
  vpbroadcastq zmm30,[rbp+168h]
  vpandq zmm10,zmm9,zmm30
  vpandq zmm11,zmm4,zmm30
  vpbroadcastq zmm31,[rbp+170h]
  vporq zmm10,zmm10,zmm31
  vporq zmm11,zmm11,zmm31
  vpbroadcastq zmm29,[rbp+178h]
  vpbroadcastq zmm30,[rbp+180h]
  vpandq zmm8,zmm29,zmm30
  vpsravq zmm8,zmm9,zmm8
  vpandq zmm9,zmm29,zmm30
  vpsravq zmm9,zmm4,zmm9
  vpbroadcastq zmm31,[rbp+188h]
  vpsubq zmm8,zmm8,zmm31
  vpsubq zmm9,zmm9,zmm31
  vpbroadcastq zmm29,[rbp+190h]
  vpandq zmm4,zmm29,zmm30
  vpsravq zmm4,zmm8,zmm4
  vpandq zmm16,zmm29,zmm30
  vpsravq zmm16,zmm9,zmm16
  vpbroadcastq zmm31,[rbp+198h]
  vpandq zmm8,zmm8,zmm31
  vpandq zmm9,zmm9,zmm31
  vpbroadcastq zmm29,[rbp+1A0h]
  vpandq zmm15,zmm4,zmm29
  vpandq zmm23,zmm16,zmm29
  vpbroadcastq zmm30,[rbp+148h]
  vpcmpeqq k6,zmm15,zmm30
  vpcmpeqq k5,zmm23,zmm30
  kunpckbw k5,k5,k6
  knotw k5,k5
  vpbroadcastq zmm31,[rbp+1A8h]
  vpblendmq zmm23{k5},zmm30,zmm31
  kshiftrw k6,k5,8
  vpblendmq zmm15{k6},zmm30,zmm31
  vpbroadcastq zmm29,[rbp+1B8h]
  vpbroadcastq zmm30,[rbp+1B0h]
  vpblendmq zmm14{k5},zmm29,zmm30
  vpblendmq zmm25{k6},zmm29,zmm30
  vpbroadcastq zmm31,[rbp+1C8h]
  vpbroadcastq zmm29,[rbp+1C0h]
  vpblendmq zmm24{k5},zmm31,zmm29
  vpblendmq zmm17{k6},zmm31,zmm29
  vpbroadcastq zmm30,[rbp+1D8h]
  vpbroadcastq zmm31,[rbp+1D0h]
  vpblendmq zmm22{k5},zmm30,zmm31
  vpblendmq zmm7{k6},zmm30,zmm31
  vpbroadcastq zmm29,[rbp+1A8h]
  vpbroadcastq zmm30,[rbp+1E0h]
  vpblendmq zmm27{k5},zmm29,zmm30
  vpblendmq zmm21{k6},zmm29,zmm30
  vpbroadcastq zmm31,[rbp+1B0h]
  vpbroadcastq zmm29,[rbp+1E8h]
  vpblendmq zmm20{k5},zmm31,zmm29
  vpblendmq zmm19{k6},zmm31,zmm29
  vpbroadcastq zmm30,[rbp+1C0h]
  vpbroadcastq zmm31,[rbp+1F0h]
  vpblendmq zmm18{k5},zmm30,zmm31
  vpblendmq zmm26{k6},zmm30,zmm31
  vpbroadcastq zmm29,[rbp+1F8h]
  vpandq zmm13,zmm4,zmm29
  vpandq zmm28,zmm16,zmm29
  vpbroadcastq zmm30,[rbp+148h]
  vpcmpeqq k6,zmm13,zmm30
  vpcmpeqq k5,zmm28,zmm30
  kunpckbw k5,k5,k6
  knotw k5,k5
  vpblendmq zmm28{k5},zmm23,zmm24
  kshiftrw k6,k5,8
  vpblendmq zmm15{k6},zmm15,zmm17
  vpblendmq zmm14{k5},zmm14,zmm22
  vpblendmq zmm25{k6},zmm25,zmm7
  vpblendmq zmm24{k5},zmm24,zmm27
  vpblendmq zmm17{k6},zmm17,zmm21
  vpblendmq zmm20{k5},zmm22,zmm20
  vpblendmq zmm19{k6},zmm7,zmm19
  vpblendmq zmm18{k5},zmm27,zmm18
  vpblendmq zmm26{k6},zmm21,zmm26
  vpbroadcastq zmm31,[rbp+200h]
  vpandq zmm4,zmm4,zmm31
  vpandq zmm16,zmm16,zmm31
  vpcmpeqq k6,zmm4,zmm30
  vpcmpeqq k5,zmm16,zmm30
  kunpckbw k5,k5,k6
  knotw k5,k5
  vpblendmq zmm16{k5},zmm28,zmm14
  kshiftrw k6,k5,8
  vpblendmq zmm15{k6},zmm15,zmm25
  vpblendmq zmm14{k5},zmm14,zmm24
  vpblendmq zmm25{k6},zmm25,zmm17
  vpblendmq zmm24{k5},zmm24,zmm20
  vpblendmq zmm17{k6},zmm17,zmm19
  vpblendmq zmm18{k5},zmm20,zmm18
  vpblendmq zmm26{k6},zmm19,zmm26
  vpbroadcastq zmm29,[rbp+208h]
  vpbroadcastq zmm31,[rbp+180h]
  vpandq zmm19,zmm29,zmm31
  vpsllvq zmm19,zmm16,zmm19
  vpandq zmm16,zmm29,zmm31
  vpsllvq zmm16,zmm15,zmm16
  vporq zmm19,zmm19,zmm14
  vporq zmm16,zmm16,zmm25
  vpsubq zmm8,zmm29,zmm8
  vpsubq zmm9,zmm29,zmm9
  vpandq zmm15,zmm8,zmm31
  vpsravq zmm15,zmm19,zmm15
  vpandq zmm19,zmm9,zmm31
  vpsravq zmm19,zmm16,zmm19
  vpbroadcastq zmm30,[rbp+210h]
  vpandq zmm15,zmm15,zmm30
  vpandq zmm19,zmm19,zmm30
  vpandq zmm16,zmm29,zmm31
  vpsllvq zmm16,zmm14,zmm16
  vpandq zmm14,zmm29,zmm31
  vpsllvq zmm14,zmm25,zmm14
  vporq zmm16,zmm16,zmm24
  vporq zmm14,zmm14,zmm17
  vpandq zmm25,zmm8,zmm31
  vpsravq zmm25,zmm16,zmm25
  vpandq zmm16,zmm9,zmm31
  vpsravq zmm16,zmm14,zmm16
  vpandq zmm25,zmm25,zmm30
  vpandq zmm16,zmm16,zmm30
  vpandq zmm14,zmm29,zmm31
  vpsllvq zmm14,zmm24,zmm14
  vpandq zmm24,zmm29,zmm31
  vpsllvq zmm24,zmm17,zmm24
  vporq zmm14,zmm14,zmm18
  vporq zmm24,zmm24,zmm26
  vpandq zmm8,zmm8,zmm31
  vpsravq zmm8,zmm14,zmm8
  vpandq zmm9,zmm9,zmm31
  vpsravq zmm9,zmm24,zmm9
  vpandq zmm8,zmm8,zmm30
  vpandq zmm9,zmm9,zmm30
  vpandq zmm24,zmm29,zmm31
  vpsllvq zmm24,zmm15,zmm24
  vpandq zmm15,zmm29,zmm31
  vpsllvq zmm15,zmm19,zmm15
  vporq zmm24,zmm24,zmm25
  vporq zmm15,zmm15,zmm16
  vpmullq zmm24,zmm10,zmm24
  vpmullq zmm15,zmm11,zmm15
  vpmullq zmm8,zmm10,zmm8
  vpmullq zmm9,zmm11,zmm9
  vpandq zmm11,zmm29,zmm31
  vpsravq zmm11,zmm8,zmm11
  vpandq zmm8,zmm29,zmm31
  vpsravq zmm8,zmm9,zmm8
  vpaddq zmm11,zmm24,zmm11
  vpaddq zmm8,zmm15,zmm8
  vpbroadcastq zmm30,[rbp+218h]
  vpaddq zmm15,zmm11,zmm30
  vpaddq zmm24,zmm8,zmm30
  vpbroadcastq zmm29,[rbp+220h]
  vpandq zmm9,zmm29,zmm31
  vpsravq zmm9,zmm15,zmm9
  vpandq zmm15,zmm29,zmm31
  vpsravq zmm15,zmm24,zmm15
  vpandq zmm24,zmm29,zmm31
  vpsllvq zmm24,zmm9,zmm24
  vpandq zmm10,zmm29,zmm31
  vpsllvq zmm10,zmm15,zmm10
  vpsubq zmm24,zmm11,zmm24
  vpsubq zmm10,zmm8,zmm10
  vcvtqq2ps ymm8,zmm24
  vcvtqq2ps ymm11,zmm10
  vinserti64x4 zmm11,zmm8,ymm11,1
  vpbroadcastq zmm30,[rbp+228h]
  vcmplt_oqps k6,zmm11,zmm30
  vpbroadcastq zmm29,[rbp+230h]
  vcmple_oqps k5,zmm29,zmm11
  vcmpunordps k7,zmm11,zmm11
  vextracti64x4 ymm8,zmm11,1
  vcvttps2qq zmm16,ymm11
  vcvttps2qq zmm8,ymm8
  vpbroadcastq zmm31,[rbp+238h]
  vpblendmq zmm16{k6},zmm16,zmm31
  vpbroadcastq zmm30,[rbp+240h]
  vpblendmq zmm16{k5},zmm16,zmm30
  vpbroadcastq zmm29,[rbp+148h]
  vpblendmq zmm16{k7},zmm16,zmm29
  kshiftrw k6,k6,8
  vpblendmq zmm8{k6},zmm8,zmm31
  kshiftrw k6,k5,8
  vpblendmq zmm8{k6},zmm8,zmm30
  kshiftrw k6,k7,8
  vpblendmq zmm8{k6},zmm8,zmm29
  vpsubq zmm16,zmm24,zmm16
  vpsubq zmm8,zmm10,zmm8
  vcvtqq2ps ymm16,zmm16
  vcvtqq2ps ymm8,zmm8
  vinserti64x4 zmm8,zmm16,ymm8,1
  vpbroadcastq zmm31,[rbp+248h]
  vmulps zmm8,zmm8,zmm31
  vmovdqa64 zmm16,zmm11
  vpbroadcastq zmm30,[rbp+250h]
  vfmadd213ps zmm16,zmm30,zmm8
  vmovdqa64 zmm8,zmm11
  vfmadd213ps zmm8,zmm31,zmm16
  vmulps zmm16,zmm2,zmm29
  vaddps zmm16,zmm8,zmm16
  vpbroadcastq zmm30,[rbp+258h]
  vpmaxsq zmm9,zmm9,zmm30
  vpbroadcastq zmm31,[rbp+260h]
  vpminsq zmm9,zmm9,zmm31
  vpmaxsq zmm15,zmm15,zmm30
  vpminsq zmm15,zmm15,zmm31
  vpmovqd ymm9,zmm9
  vpmovqd ymm15,zmm15
  vinserti64x4 zmm15,zmm9,ymm15,1
  vcmpltps k6,zmm2,zmm29
  vpbroadcastq zmm30,[rbp+28h]
  vpxorq zmm9,zmm16,zmm30
  vblendmps zmm9{k6},zmm16,zmm9
  vpsubd zmm16,zmm29,zmm15
  vpblendmd zmm16{k6},zmm15,zmm16
  kmovw k6,[rbp+3C0h]
  kandw k6,k6,k3
  kmovw [rbp+3C0h],k6
  vmovdqu32 [rbp+2C0h]{k6},zmm9
  vmovdqu32 [rbp+340h]{k6},zmm16
  mov eax,[rbp+3D0h]
  add eax,1
  mov [rbp+3D0h],eax
  cmp eax,1
  jae L5
  kortestw k6,k6
  jne L4
L5:
  kmovw k6,[rbp+3C8h]
  vmovdqu64 zmm16,[rbp+2C0h]
  vmovdqu64 zmm9,[rbp+340h]
  vpbroadcastq zmm29,[rbp+2A8h]
  vpaddd zmm9,zmm9,zmm29
  vmulps zmm15,zmm16,zmm16
  vmulps zmm8,zmm16,zmm15
  vpbroadcastq zmm30,[rbp+268h]
  vmovdqa64 zmm11,zmm30
  vpbroadcastq zmm31,[rbp+270h]
  vfmadd213ps zmm11,zmm15,zmm31
  vmovdqa64 zmm11,zmm11
  vpbroadcastq zmm29,[rbp+278h]
  vfmadd213ps zmm11,zmm15,zmm29
  vmovdqa64 zmm8,zmm8
  vfmadd213ps zmm8,zmm11,zmm16
  vmulps zmm11,zmm15,zmm15
  vpbroadcastq zmm30,[rbp+280h]
  vmovdqa64 zmm16,zmm30
  vpbroadcastq zmm31,[rbp+288h]
  vfmadd213ps zmm16,zmm15,zmm31
  vmovdqa64 zmm16,zmm16
  vpbroadcastq zmm29,[rbp+290h]
  vfmadd213ps zmm16,zmm15,zmm29
  vmovdqa64 zmm15,zmm15
  vpbroadcastq zmm30,[rbp+298h]
  vpbroadcastq zmm31,[rbp+2A0h]
  vfmadd213ps zmm15,zmm30,zmm31
; … 1230 more lines with the checksum 5eb0050e6699ee4d

; AVX2
; scratch memory: 8128 bytes, starting with
  times 1 dq 0x3f22f9833f22f983
  times 1 dq 0x4b4000004b400000
  times 1 dq 0xbfc90fdbbfc90fdb
  times 1 dq 0x333bbd2e333bbd2e
  times 1 dq 0x26f72ced26f72ced
  times 1 dq 0x8000000080000000
  times 1 dq 0x4780000047800000
  times 1 dq 0x7fc000007fc00000
  times 1 dq 0x000000000000ffff
  times 36 dq 0x0000000000000000
  times 1 dq 0x00000000007fffff
  times 1 dq 0x0000000000800000
  times 1 dq 0x0000000000000017
  times 1 dq 0x000000000000003f
  times 1 dq 0x0000000000000078
  times 1 dq 0x0000000000000005
  times 1 dq 0x000000000000001f
  times 1 dq 0x0000000000000004
  times 1 dq 0x00000000f534ddc0
  times 1 dq 0x00000000db629599
  times 1 dq 0x00000000a2f9836e
  times 1 dq 0x000000003c439041
  times 1 dq 0x000000004e441529
  times 1 dq 0x00000000fe5163ab
  times 1 dq 0x00000000fc2757d1
  times 1 dq 0x00000000debbc561
  times 1 dq 0x00000000b7246e3a
  times 1 dq 0x00000000424dd2e0
  times 1 dq 0x0000000000000002
  times 1 dq 0x0000000000000001
  times 1 dq 0x0000000000000020
  times 1 dq 0x00000000ffffffff
  times 1 dq 0x2000000000000000
  times 1 dq 0x000000000000003e
  times 1 dq 0xdf000000df000000
  times 1 dq 0x5f0000005f000000
  times 1 dq 0x8000000000000000
  times 1 dq 0x7fffffffffffffff
  times 1 dq 0x20c90fdb20c90fdb
  times 1 dq 0x943bbd2e943bbd2e
  times 1 dq 0xffffffff80000000
  times 1 dq 0x000000007fffffff
  times 1 dq 0xb94c9065b94c9065
  times 1 dq 0x3c08836a3c08836a
  times 1 dq 0xbe2aaaa2be2aaaa2
  times 1 dq 0x37cce5dc37cce5dc
  times 1 dq 0xbab605e3bab605e3
  times 1 dq 0x3d2aaaa53d2aaaa5
  times 1 dq 0xbf000000bf000000
  times 1 dq 0x3f8000003f800000
  times 1 dq 0x0000000100000001
  times 1 dq 0x0000001e0000001e
  times 1 dq 0x0000001f0000001f
  times 70 dq 0x0000000000000000
  times 1 dq 0x3f0000003f000000
  times 1 dq 0x0000000000000000
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0x0000000400000000
  times 1 dq 0x0000000500000001
  times 1 dq 0xffffffffffffffff
  times 1 dq 0x0020000000000000
  times 1 dq 0x00000000000007ff
  times 1 dq 0x4530000080000000
  times 1 dq 0x4330000000000000
  times 1 dq 0x4530000080100000
  times 1 dq 0x3df0000000000000
  times 1 dq 0x41f0000000000000
  times 1 dq 0x4338000000000000
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
  mov rax,rcx
  sub rax,10h
  mov [rdi+30h],rax
  cmp rsi,rax
  jg L8
  nop [rax+rax]
  nop [rax]
L1:
  vmovdqu ymm13,[r8+rsi*4]
  vmovdqu [rbp+5E0h],ymm13
  vmovdqu ymm14,[r8+rsi*4+20h]
  vmovdqu [rbp+5C0h],ymm14
  vmovdqa ymm2,ymm13
  vpbroadcastq ymm15,[rbp]
  vpbroadcastq ymm14,[rbp+8]
  vfmadd213ps ymm2,ymm15,ymm14
  vmovdqu ymm13,[rbp+5C0h]
  vmovdqa ymm3,ymm13
  vfmadd213ps ymm3,ymm15,ymm14
  vsubps ymm4,ymm2,ymm14
  vsubps ymm5,ymm3,ymm14
  vmovdqa ymm6,ymm4
  vpbroadcastq ymm13,[rbp+10h]
  vmovdqu ymm15,[rbp+5E0h]
  vfmadd213ps ymm6,ymm13,ymm15
  vmovdqa ymm7,ymm5
  vmovdqu ymm14,[rbp+5C0h]
  vfmadd213ps ymm7,ymm13,ymm14
  vmovdqa ymm8,ymm4
  vpbroadcastq ymm15,[rbp+18h]
  vfmadd213ps ymm8,ymm15,ymm6
  vmovdqa ymm6,ymm5
  vfmadd213ps ymm6,ymm15,ymm7
  vmovdqa ymm13,ymm4
  vmovdqu [rbp+6E0h],ymm13
  vmovdqa ymm14,ymm5
  vmovdqu [rbp+6C0h],ymm14
  vmovdqa ymm4,ymm13
  vpbroadcastq ymm15,[rbp+20h]
  vfmadd213ps ymm4,ymm15,ymm8
  vmovdqa ymm8,ymm14
  vfmadd213ps ymm8,ymm15,ymm6
  vmovdqa ymm13,ymm4
  vmovdqu [rbp+6E0h],ymm13
  vmovdqa ymm14,ymm8
  vmovdqu [rbp+6C0h],ymm14
  vpbroadcastq ymm15,[rbp+28h]
  vmovdqu ymm13,[rbp+5E0h]
  vpandn ymm14,ymm15,ymm13
  vmovdqu [rbp+660h],ymm14
  vmovdqu ymm13,[rbp+5C0h]
  vpandn ymm14,ymm15,ymm13
  vmovdqu [rbp+640h],ymm14
  vpbroadcastq ymm15,[rbp+30h]
  vmovdqu ymm13,[rbp+660h]
  vcmpnge_uqps ymm14,ymm15,ymm13
  vmovdqu [rbp+620h],ymm14
  vmovdqu ymm13,[rbp+640h]
  vcmpnge_uqps ymm14,ymm15,ymm13
  vmovdqu [rbp+600h],ymm14
  vcmpunordps ymm10,ymm2,ymm2
  vcmpunordps ymm11,ymm3,ymm3
  vpbroadcastq ymm15,[rbp+38h]
  vpblendvb ymm13,ymm2,ymm15,ymm10
  vmovdqu [rbp+6A0h],ymm13
  vpblendvb ymm14,ymm3,ymm15,ymm11
  vmovdqu [rbp+680h],ymm14
  vpbroadcastw ymm13,[rbp+40h]
  vmovdqu ymm15,[rbp+620h]
  vpand ymm3,ymm13,ymm15
  vmovdqu ymm14,[rbp+600h]
  vpand ymm2,ymm13,ymm14
  vmovdqu ymm15,[rbp+6E0h]
  vmovdqu [rbp+48h],ymm15
  vmovdqu ymm13,[rbp+6C0h]
  vmovdqu [rbp+68h],ymm13
  vmovdqu ymm14,[rbp+6A0h]
  vmovdqu [rbp+0C8h],ymm14
  vmovdqu ymm15,[rbp+680h]
  vmovdqu [rbp+0E8h],ymm15
  mov [rbp+4F8h],rax
  vpackssdw ymm12,ymm3,ymm2
  vpacksswb ymm12,ymm12,ymm12
  vmovdqu ymm13,[rbp+500h]
  vpermd ymm12,ymm13,ymm12
  vpmovmskb eax,xmm12
  mov [rbp+150h],ax
  mov rax,[rbp+4F8h]
  mov [rbp+4F8h],rax
  vpbroadcastw ymm14,[rbp+148h]
  vpackssdw ymm12,ymm14,ymm14
  vpacksswb ymm12,ymm12,ymm12
  vpermd ymm12,ymm13,ymm12
  vpmovmskb eax,xmm12
  mov [rbp+158h],ax
  mov rax,[rbp+4F8h]
  mov dword ptr [rbp+160h],0
  vpor ymm12,ymm3,ymm2
  vptest ymm12,ymm12
  je L3
L2:
  vmovdqu ymm13,[rbp+660h]
  vcmpunordps ymm12,ymm13,ymm13
  vmovdqu ymm14,[rbp+640h]
  vcmpunordps ymm2,ymm14,ymm14
  vpbroadcastq ymm15,[rbp+38h]
  vpblendvb ymm12,ymm13,ymm15,ymm12
  vpblendvb ymm2,ymm14,ymm15,ymm2
  vextracti128 xmm3,ymm12,1
  vpmovsxdq ymm12,xmm12
  vpmovsxdq ymm3,xmm3
  vextracti128 xmm1,ymm2,1
  vpmovsxdq ymm2,xmm2
  vpmovsxdq ymm1,xmm1
  vpbroadcastq ymm13,[rbp+168h]
  vpand ymm0,ymm12,ymm13
  vpand ymm9,ymm3,ymm13
  vpand ymm6,ymm2,ymm13
  vpand ymm4,ymm1,ymm13
  vpbroadcastq ymm14,[rbp+170h]
  vpor ymm15,ymm0,ymm14
  vmovdqu [rbp+760h],ymm15
  vpor ymm13,ymm9,ymm14
  vmovdqu [rbp+740h],ymm13
  vpor ymm15,ymm6,ymm14
  vmovdqu [rbp+720h],ymm15
  vpor ymm13,ymm4,ymm14
  vmovdqu [rbp+700h],ymm13
  vpbroadcastq ymm15,[rbp+178h]
  vpbroadcastq ymm14,[rbp+180h]
  vpand ymm8,ymm15,ymm14
  vpand ymm11,ymm15,ymm14
  vpbroadcastq ymm13,[rbp+148h]
  vpcmpgtq ymm10,ymm13,ymm12
  vpxor ymm12,ymm12,ymm10
  vpsrlvq ymm12,ymm12,ymm8
  vpxor ymm12,ymm12,ymm10
  vpcmpgtq ymm10,ymm13,ymm3
  vpxor ymm3,ymm3,ymm10
  vpsrlvq ymm3,ymm3,ymm11
  vpxor ymm3,ymm3,ymm10
  vpand ymm10,ymm15,ymm14
  vpand ymm11,ymm15,ymm14
  vpcmpgtq ymm8,ymm13,ymm2
  vpxor ymm2,ymm2,ymm8
  vpsrlvq ymm2,ymm2,ymm10
  vpxor ymm2,ymm2,ymm8
  vpcmpgtq ymm8,ymm13,ymm1
  vpxor ymm1,ymm1,ymm8
  vpsrlvq ymm1,ymm1,ymm11
  vpxor ymm1,ymm1,ymm8
  vpbroadcastq ymm15,[rbp+188h]
  vpsubq ymm12,ymm12,ymm15
  vpsubq ymm3,ymm3,ymm15
  vpsubq ymm2,ymm2,ymm15
  vpsubq ymm1,ymm1,ymm15
  vpbroadcastq ymm14,[rbp+190h]
  vpbroadcastq ymm13,[rbp+180h]
  vpand ymm8,ymm14,ymm13
  vpand ymm11,ymm14,ymm13
  vpbroadcastq ymm15,[rbp+148h]
  vpcmpgtq ymm10,ymm15,ymm12
  vpxor ymm5,ymm12,ymm10
  vpsrlvq ymm8,ymm5,ymm8
  vpxor ymm14,ymm8,ymm10
  vmovdqu [rbp+860h],ymm14
  vpcmpgtq ymm10,ymm15,ymm3
  vpxor ymm5,ymm3,ymm10
  vpsrlvq ymm5,ymm5,ymm11
  vpxor ymm13,ymm5,ymm10
  vmovdqu [rbp+840h],ymm13
  vpbroadcastq ymm14,[rbp+190h]
  vpbroadcastq ymm15,[rbp+180h]
  vpand ymm10,ymm14,ymm15
  vpand ymm11,ymm14,ymm15
  vpbroadcastq ymm13,[rbp+148h]
  vpcmpgtq ymm7,ymm13,ymm2
  vpxor ymm4,ymm2,ymm7
  vpsrlvq ymm10,ymm4,ymm10
  vpxor ymm14,ymm10,ymm7
  vmovdqu [rbp+820h],ymm14
  vpcmpgtq ymm7,ymm13,ymm1
  vpxor ymm4,ymm1,ymm7
  vpsrlvq ymm4,ymm4,ymm11
  vpxor ymm15,ymm4,ymm7
  vmovdqu [rbp+800h],ymm15
  vpbroadcastq ymm14,[rbp+198h]
  vpand ymm13,ymm12,ymm14
  vmovdqu [rbp+7E0h],ymm13
  vpand ymm15,ymm3,ymm14
  vmovdqu [rbp+7C0h],ymm15
  vpand ymm13,ymm2,ymm14
  vmovdqu [rbp+7A0h],ymm13
  vpand ymm15,ymm1,ymm14
  vmovdqu [rbp+780h],ymm15
  vmovdqu ymm13,[rbp+860h]
  vpbroadcastq ymm14,[rbp+1A0h]
  vpand ymm7,ymm13,ymm14
  vmovdqu ymm15,[rbp+840h]
  vpand ymm11,ymm15,ymm14
  vmovdqu ymm13,[rbp+820h]
  vpand ymm6,ymm13,ymm14
  vmovdqu ymm15,[rbp+800h]
  vpand ymm9,ymm15,ymm14
  vpbroadcastq ymm13,[rbp+148h]
  vpcmpeqq ymm7,ymm7,ymm13
  vpcmpeqq ymm11,ymm11,ymm13
  vpcmpeqq ymm6,ymm6,ymm13
  vpcmpeqq ymm9,ymm9,ymm13
  vshufps ymm9,ymm6,ymm9,88h
  vpermq ymm9,ymm9,0D8h
  vpbroadcastq ymm15,[rbp+520h]
  vpxor ymm9,ymm9,ymm15
  vpxor ymm7,ymm7,ymm15
  vpxor ymm11,ymm11,ymm15
  vpbroadcastq ymm14,[rbp+1A8h]
  vpblendvb ymm6,ymm13,ymm14,ymm7
  vpblendvb ymm0,ymm13,ymm14,ymm11
  vextracti128 xmm1,ymm9,1
  vpmovsxdq ymm9,xmm9
  vpmovsxdq ymm1,xmm1
  vpblendvb ymm2,ymm13,ymm14,ymm9
  vpblendvb ymm3,ymm13,ymm14,ymm1
  vpbroadcastq ymm15,[rbp+1B8h]
  vpbroadcastq ymm13,[rbp+1B0h]
  vpblendvb ymm12,ymm15,ymm13,ymm7
  vpblendvb ymm4,ymm15,ymm13,ymm11
  vpblendvb ymm10,ymm15,ymm13,ymm9
  vpblendvb ymm5,ymm15,ymm13,ymm1
  vpbroadcastq ymm14,[rbp+1C8h]
  vpbroadcastq ymm15,[rbp+1C0h]
  vpblendvb ymm8,ymm14,ymm15,ymm7
  vpblendvb ymm13,ymm14,ymm15,ymm11
  vmovdqu [rbp+880h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm9
  vmovdqu [rbp+8A0h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm1
  vmovdqu [rbp+8C0h],ymm13
  vpbroadcastq ymm14,[rbp+1D8h]
  vpbroadcastq ymm15,[rbp+1D0h]
  vpblendvb ymm13,ymm14,ymm15,ymm7
  vmovdqu [rbp+8E0h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm11
  vmovdqu [rbp+900h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm9
  vmovdqu [rbp+920h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm1
  vmovdqu [rbp+940h],ymm13
  vpbroadcastq ymm14,[rbp+1A8h]
  vpbroadcastq ymm15,[rbp+1E0h]
  vpblendvb ymm13,ymm14,ymm15,ymm7
  vmovdqu [rbp+960h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm11
  vmovdqu [rbp+980h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm9
  vmovdqu [rbp+9A0h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm1
  vmovdqu [rbp+9C0h],ymm13
  vpbroadcastq ymm14,[rbp+1B0h]
  vpbroadcastq ymm15,[rbp+1E8h]
  vpblendvb ymm13,ymm14,ymm15,ymm7
  vmovdqu [rbp+9E0h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm11
  vmovdqu [rbp+0A00h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm9
  vmovdqu [rbp+0A20h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm1
  vmovdqu [rbp+0A40h],ymm13
  vpbroadcastq ymm14,[rbp+1C0h]
  vpbroadcastq ymm15,[rbp+1F0h]
  vpblendvb ymm13,ymm14,ymm15,ymm7
  vmovdqu [rbp+0AC0h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm11
  vmovdqu [rbp+0AA0h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm9
  vmovdqu [rbp+0A80h],ymm13
  vpblendvb ymm13,ymm14,ymm15,ymm1
  vmovdqu [rbp+0A60h],ymm13
  vmovdqu ymm14,[rbp+860h]
  vpbroadcastq ymm15,[rbp+1F8h]
  vpand ymm1,ymm14,ymm15
  vmovdqu ymm13,[rbp+840h]
  vpand ymm9,ymm13,ymm15
  vmovdqu ymm14,[rbp+820h]
  vpand ymm11,ymm14,ymm15
  vmovdqu ymm13,[rbp+800h]
  vpand ymm7,ymm13,ymm15
  vpbroadcastq ymm14,[rbp+148h]
  vpcmpeqq ymm1,ymm1,ymm14
  vpcmpeqq ymm9,ymm9,ymm14
  vpcmpeqq ymm11,ymm11,ymm14
  vpcmpeqq ymm7,ymm7,ymm14
  vshufps ymm7,ymm11,ymm7,88h
  vpermq ymm7,ymm7,0D8h
  vpbroadcastq ymm13,[rbp+520h]
  vpxor ymm7,ymm7,ymm13
  vpxor ymm1,ymm1,ymm13
  vpxor ymm9,ymm9,ymm13
  vpblendvb ymm6,ymm6,ymm8,ymm1
  vmovdqu ymm15,[rbp+880h]
  vpblendvb ymm0,ymm0,ymm15,ymm9
  vextracti128 xmm11,ymm7,1
  vpmovsxdq ymm7,xmm7
  vpmovsxdq ymm11,xmm11
  vmovdqu ymm14,[rbp+8A0h]
  vpblendvb ymm2,ymm2,ymm14,ymm7
  vmovdqu ymm13,[rbp+8C0h]
  vpblendvb ymm3,ymm3,ymm13,ymm11
  vmovdqu ymm15,[rbp+8E0h]
  vpblendvb ymm12,ymm12,ymm15,ymm1
  vmovdqu ymm14,[rbp+900h]
  vpblendvb ymm4,ymm4,ymm14,ymm9
  vmovdqu ymm13,[rbp+920h]
  vpblendvb ymm10,ymm10,ymm13,ymm7
  vmovdqu ymm15,[rbp+940h]
  vpblendvb ymm5,ymm5,ymm15,ymm11
  vmovdqu ymm14,[rbp+960h]
  vpblendvb ymm8,ymm8,ymm14,ymm1
  vmovdqu ymm13,[rbp+880h]
  vmovdqu ymm15,[rbp+980h]
  vpblendvb ymm14,ymm13,ymm15,ymm9
  vmovdqu [rbp+0AE0h],ymm14
  vmovdqu ymm13,[rbp+8A0h]
  vmovdqu ymm15,[rbp+9A0h]
  vpblendvb ymm14,ymm13,ymm15,ymm7
  vmovdqu [rbp+0B00h],ymm14
  vmovdqu ymm13,[rbp+8C0h]
  vmovdqu ymm15,[rbp+9C0h]
  vpblendvb ymm14,ymm13,ymm15,ymm11
  vmovdqu [rbp+0B20h],ymm14
  vmovdqu ymm13,[rbp+8E0h]
  vmovdqu ymm15,[rbp+9E0h]
  vpblendvb ymm14,ymm13,ymm15,ymm1
  vmovdqu [rbp+0B40h],ymm14
  vmovdqu ymm13,[rbp+900h]
  vmovdqu ymm15,[rbp+0A00h]
  vpblendvb ymm14,ymm13,ymm15,ymm9
  vmovdqu [rbp+0B60h],ymm14
  vmovdqu ymm13,[rbp+920h]
  vmovdqu ymm15,[rbp+0A20h]
  vpblendvb ymm14,ymm13,ymm15,ymm7
  vmovdqu [rbp+0B80h],ymm14
  vmovdqu ymm13,[rbp+940h]
  vmovdqu ymm15,[rbp+0A40h]
  vpblendvb ymm14,ymm13,ymm15,ymm11
  vmovdqu [rbp+0BA0h],ymm14
  vmovdqu ymm13,[rbp+960h]
  vmovdqu ymm15,[rbp+0AC0h]
  vpblendvb ymm14,ymm13,ymm15,ymm1
  vmovdqu [rbp+0C20h],ymm14
  vmovdqu ymm13,[rbp+980h]
  vmovdqu ymm15,[rbp+0AA0h]
  vpblendvb ymm14,ymm13,ymm15,ymm9
  vmovdqu [rbp+0C00h],ymm14
  vmovdqu ymm13,[rbp+9A0h]
  vmovdqu ymm15,[rbp+0A80h]
  vpblendvb ymm14,ymm13,ymm15,ymm7
  vmovdqu [rbp+0BE0h],ymm14
  vmovdqu ymm13,[rbp+9C0h]
  vmovdqu ymm15,[rbp+0A60h]
  vpblendvb ymm14,ymm13,ymm15,ymm11
  vmovdqu [rbp+0BC0h],ymm14
  vmovdqu ymm13,[rbp+860h]
  vpbroadcastq ymm15,[rbp+200h]
  vpand ymm11,ymm13,ymm15
  vmovdqu ymm14,[rbp+840h]
  vpand ymm7,ymm14,ymm15
  vmovdqu ymm13,[rbp+820h]
  vpand ymm9,ymm13,ymm15
  vmovdqu ymm14,[rbp+800h]
  vpand ymm1,ymm14,ymm15
  vpbroadcastq ymm13,[rbp+148h]
  vpcmpeqq ymm11,ymm11,ymm13
  vpcmpeqq ymm7,ymm7,ymm13
  vpcmpeqq ymm9,ymm9,ymm13
  vpcmpeqq ymm1,ymm1,ymm13
  vshufps ymm1,ymm9,ymm1,88h
  vpermq ymm1,ymm1,0D8h
  vpbroadcastq ymm14,[rbp+520h]
  vpxor ymm1,ymm1,ymm14
  vpxor ymm11,ymm11,ymm14
  vpxor ymm7,ymm7,ymm14
  vpblendvb ymm6,ymm6,ymm12,ymm11
  vpblendvb ymm0,ymm0,ymm4,ymm7
  vextracti128 xmm9,ymm1,1
  vpmovsxdq ymm1,xmm1
  vpmovsxdq ymm9,xmm9
  vpblendvb ymm2,ymm2,ymm10,ymm1
  vpblendvb ymm3,ymm3,ymm5,ymm9
  vpblendvb ymm12,ymm12,ymm8,ymm11
  vmovdqu ymm15,[rbp+0AE0h]
  vpblendvb ymm4,ymm4,ymm15,ymm7
  vmovdqu ymm13,[rbp+0B00h]
  vpblendvb ymm10,ymm10,ymm13,ymm1
  vmovdqu ymm14,[rbp+0B20h]
  vpblendvb ymm5,ymm5,ymm14,ymm9
  vmovdqu ymm15,[rbp+0B40h]
  vpblendvb ymm8,ymm8,ymm15,ymm11
  vmovdqu ymm13,[rbp+0AE0h]
  vmovdqu ymm14,[rbp+0B60h]
  vpblendvb ymm15,ymm13,ymm14,ymm7
  vmovdqu [rbp+0C40h],ymm15
  vmovdqu ymm13,[rbp+0B00h]
  vmovdqu ymm14,[rbp+0B80h]
  vpblendvb ymm15,ymm13,ymm14,ymm1
  vmovdqu [rbp+0C60h],ymm15
  vmovdqu ymm13,[rbp+0B20h]
  vmovdqu ymm14,[rbp+0BA0h]
  vpblendvb ymm15,ymm13,ymm14,ymm9
  vmovdqu [rbp+0C80h],ymm15
  vmovdqu ymm13,[rbp+0B40h]
  vmovdqu ymm14,[rbp+0C20h]
  vpblendvb ymm11,ymm13,ymm14,ymm11
  vmovdqu ymm15,[rbp+0B60h]
  vmovdqu ymm13,[rbp+0C00h]
  vpblendvb ymm14,ymm15,ymm13,ymm7
  vmovdqu [rbp+0D60h],ymm14
  vmovdqu ymm15,[rbp+0B80h]
  vmovdqu ymm13,[rbp+0BE0h]
  vpblendvb ymm14,ymm15,ymm13,ymm1
  vmovdqu [rbp+0CC0h],ymm14
  vmovdqu ymm15,[rbp+0BA0h]
  vmovdqu ymm13,[rbp+0BC0h]
  vpblendvb ymm14,ymm15,ymm13,ymm9
  vmovdqu [rbp+0CA0h],ymm14
  vpbroadcastq ymm15,[rbp+208h]
  vpbroadcastq ymm13,[rbp+180h]
  vpand ymm9,ymm15,ymm13
  vpand ymm1,ymm15,ymm13
  vpsllvq ymm9,ymm6,ymm9
  vpsllvq ymm1,ymm0,ymm1
  vpand ymm0,ymm15,ymm13
  vpand ymm6,ymm15,ymm13
  vpsllvq ymm0,ymm2,ymm0
  vpsllvq ymm6,ymm3,ymm6
  vpor ymm9,ymm9,ymm12
  vpor ymm1,ymm1,ymm4
  vpor ymm0,ymm0,ymm10
  vpor ymm6,ymm6,ymm5
  vmovdqu ymm14,[rbp+7E0h]
  vpsubq ymm13,ymm15,ymm14
  vmovdqu [rbp+0D40h],ymm13
  vmovdqu ymm14,[rbp+7C0h]
  vpsubq ymm13,ymm15,ymm14
  vmovdqu [rbp+0D20h],ymm13
  vmovdqu ymm14,[rbp+7A0h]
  vpsubq ymm13,ymm15,ymm14
  vmovdqu [rbp+0CE0h],ymm13
  vmovdqu ymm14,[rbp+780h]
  vpsubq ymm13,ymm15,ymm14
  vmovdqu [rbp+0D00h],ymm13
  vmovdqu ymm15,[rbp+0D40h]
  vpbroadcastq ymm14,[rbp+180h]
  vpand ymm2,ymm15,ymm14
  vmovdqu ymm13,[rbp+0D20h]
  vpand ymm3,ymm13,ymm14
  vpbroadcastq ymm15,[rbp+148h]
  vpcmpgtq ymm7,ymm15,ymm9
  vpxor ymm9,ymm9,ymm7
  vpsrlvq ymm9,ymm9,ymm2
  vpxor ymm9,ymm9,ymm7
  vpcmpgtq ymm7,ymm15,ymm1
  vpxor ymm1,ymm1,ymm7
  vpsrlvq ymm1,ymm1,ymm3
  vpxor ymm1,ymm1,ymm7
  vmovdqu ymm13,[rbp+0CE0h]
  vpand ymm7,ymm13,ymm14
  vmovdqu ymm15,[rbp+0D00h]
  vpand ymm3,ymm15,ymm14
  vpbroadcastq ymm13,[rbp+148h]
  vpcmpgtq ymm2,ymm13,ymm0
  vpxor ymm0,ymm0,ymm2
  vpsrlvq ymm0,ymm0,ymm7
  vpxor ymm0,ymm0,ymm2
  vpcmpgtq ymm2,ymm13,ymm6
  vpxor ymm6,ymm6,ymm2
  vpsrlvq ymm6,ymm6,ymm3
  vpxor ymm6,ymm6,ymm2
  vpbroadcastq ymm15,[rbp+210h]
  vpand ymm9,ymm9,ymm15
  vpand ymm1,ymm1,ymm15
  vpand ymm0,ymm0,ymm15
  vpand ymm6,ymm6,ymm15
  vpbroadcastq ymm14,[rbp+208h]
  vpbroadcastq ymm13,[rbp+180h]
  vpand ymm2,ymm14,ymm13
  vpand ymm3,ymm14,ymm13
  vpsllvq ymm2,ymm12,ymm2
  vpsllvq ymm3,ymm4,ymm3
  vpand ymm4,ymm14,ymm13
  vpand ymm12,ymm14,ymm13
  vpsllvq ymm4,ymm10,ymm4
  vpsllvq ymm12,ymm5,ymm12
  vpor ymm2,ymm2,ymm8
  vmovdqu ymm15,[rbp+0C40h]
  vpor ymm3,ymm3,ymm15
  vmovdqu ymm14,[rbp+0C60h]
  vpor ymm4,ymm4,ymm14
  vmovdqu ymm13,[rbp+0C80h]
  vpor ymm12,ymm12,ymm13
  vmovdqu ymm15,[rbp+0D40h]
  vpbroadcastq ymm14,[rbp+180h]
  vpand ymm5,ymm15,ymm14
  vmovdqu ymm13,[rbp+0D20h]
  vpand ymm10,ymm13,ymm14
  vpbroadcastq ymm15,[rbp+148h]
  vpcmpgtq ymm7,ymm15,ymm2
  vpxor ymm2,ymm2,ymm7
  vpsrlvq ymm2,ymm2,ymm5
  vpxor ymm2,ymm2,ymm7
  vpcmpgtq ymm7,ymm15,ymm3
  vpxor ymm3,ymm3,ymm7
  vpsrlvq ymm3,ymm3,ymm10
  vpxor ymm3,ymm3,ymm7
  vmovdqu ymm13,[rbp+0CE0h]
  vpand ymm7,ymm13,ymm14
  vmovdqu ymm15,[rbp+0D00h]
  vpand ymm10,ymm15,ymm14
  vpbroadcastq ymm13,[rbp+148h]
  vpcmpgtq ymm5,ymm13,ymm4
  vpxor ymm4,ymm4,ymm5
  vpsrlvq ymm4,ymm4,ymm7
  vpxor ymm4,ymm4,ymm5
  vpcmpgtq ymm5,ymm13,ymm12
  vpxor ymm12,ymm12,ymm5
  vpsrlvq ymm12,ymm12,ymm10
  vpxor ymm12,ymm12,ymm5
  vpbroadcastq ymm15,[rbp+210h]
  vpand ymm2,ymm2,ymm15
  vpand ymm3,ymm3,ymm15
  vpand ymm14,ymm4,ymm15
  vmovdqu [rbp+0DA0h],ymm14
  vpand ymm13,ymm12,ymm15
  vmovdqu [rbp+0D80h],ymm13
  vpbroadcastq ymm14,[rbp+208h]
  vpbroadcastq ymm15,[rbp+180h]
  vpand ymm5,ymm14,ymm15
  vpand ymm10,ymm14,ymm15
  vpsllvq ymm5,ymm8,ymm5
  vmovdqu ymm13,[rbp+0C40h]
  vpsllvq ymm10,ymm13,ymm10
  vpand ymm8,ymm14,ymm15
  vpand ymm7,ymm14,ymm15
  vmovdqu ymm13,[rbp+0C60h]
  vpsllvq ymm8,ymm13,ymm8
  vmovdqu ymm14,[rbp+0C80h]
  vpsllvq ymm7,ymm14,ymm7
  vpor ymm5,ymm5,ymm11
  vmovdqu ymm15,[rbp+0D60h]
  vpor ymm10,ymm10,ymm15
  vmovdqu ymm13,[rbp+0CC0h]
  vpor ymm8,ymm8,ymm13
  vmovdqu ymm14,[rbp+0CA0h]
  vpor ymm7,ymm7,ymm14
  vmovdqu ymm15,[rbp+0D40h]
  vpbroadcastq ymm13,[rbp+180h]
  vpand ymm11,ymm15,ymm13
  vmovdqu ymm14,[rbp+0D20h]
  vpand ymm12,ymm14,ymm13
  vpbroadcastq ymm15,[rbp+148h]
  vpcmpgtq ymm4,ymm15,ymm5
  vpxor ymm5,ymm5,ymm4
  vpsrlvq ymm5,ymm5,ymm11
  vpxor ymm5,ymm5,ymm4
  vpcmpgtq ymm4,ymm15,ymm10
  vpxor ymm10,ymm10,ymm4
  vpsrlvq ymm10,ymm10,ymm12
  vpxor ymm10,ymm10,ymm4
  vmovdqu ymm14,[rbp+0CE0h]
  vpand ymm4,ymm14,ymm13
  vmovdqu ymm15,[rbp+0D00h]
  vpand ymm12,ymm15,ymm13
; … 6474 more lines with the checksum bc8e44daa3ccbca4
