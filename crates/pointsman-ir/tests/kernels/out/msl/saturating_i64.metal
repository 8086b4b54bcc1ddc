// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
    uint size4;
    uint size5;
    uint size6;
    uint size7;
    uint size8;
    uint size9;
    uint size10;
    uint size11;
    uint size12;
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef ulong type_6[1];
typedef metal::uint4 type_7[1];
typedef uint type_8[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[6];
    long o0_;
    bool q0_;
    char _pad4[7];
    long o1_;
    bool q1_;
    char _pad6[7];
    long o2_;
    bool q2_;
    char _pad8[7];
    ulong o3_;
    bool q3_;
    char _pad10[7];
    long o4_;
    bool q4_;
    char _pad12[7];
    long o5_;
    bool q5_;
    char _pad14[7];
};
struct type_12 {
    uint inner[128];
};

ulong nearest_i64_u64_(
    long v,
    thread bool& f
) {
    if (v < 0L) {
        return 0uL;
    }
    return as_type<ulong>(v);
}

Row row(
    uint r,
    long c0_,
    long c1_,
    uint c2_,
    bool d2_
) {
    bool bad = false;
    long v0_ = {};
    long v1_ = {};
    uint v2_ = {};
    bool n2_ = {};
    long v3_ = {};
    long v4_ = {};
    long v5_ = {};
    long v6_ = {};
    long v7_ = 0L;
    bool v8_ = {};
    long v9_ = 63L;
    long v10_ = {};
    long v11_ = 9223372036854775807L;
    long v12_ = {};
    long v13_ = {};
    long v14_ = {};
    long v15_ = {};
    long v16_ = {};
    long v17_ = {};
    bool v18_ = {};
    long v19_ = {};
    long v20_ = {};
    long v21_ = {};
    long v22_ = {};
    long v23_ = {};
    long v24_ = {};
    bool v25_ = {};
    bool v26_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool v27_ = {};
    bool v28_ = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool v29_ = {};
    long v30_ = 32L;
    long v31_ = {};
    long v32_ = 4294967295L;
    long v33_ = {};
    long v34_ = {};
    long v35_ = {};
    long v36_ = {};
    long v37_ = {};
    long v38_ = {};
    long v39_ = {};
    long v40_ = {};
    long v41_ = {};
    long v42_ = {};
    long v43_ = {};
    bool v44_ = {};
    long v45_ = {};
    bool v46_ = {};
    long v47_ = {};
    long v48_ = {};
    bool v49_ = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool v50_ = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    bool v51_ = {};
    bool v52_ = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool v53_ = {};
    long v54_ = {};
    long v55_ = {};
    long v56_ = {};
    long v57_ = {};
    long v58_ = {};
    long v59_ = {};
    long v60_ = {};
    long v61_ = 1L;
    long v62_ = {};
    ulong v63_ = {};
    ulong v64_ = 63uL;
    ulong v65_ = {};
    long v66_ = {};
    ulong v67_ = {};
    ulong v68_ = {};
    long v69_ = {};
    long v70_ = {};
    long v71_ = {};
    long v72_ = {};
    long v73_ = {};
    long v74_ = {};
    long v75_ = {};
    uint v76_ = 1u;
    uint v77_ = {};
    long s78_0_ = {};
    bool t78_0_ = true;
    long s78_1_ = {};
    bool t78_1_ = true;
    uint s78_2_ = {};
    bool t78_2_ = true;
    uint k78_ = 0u;
    long v79_ = {};
    long v80_ = {};
    uint v81_ = {};
    uint v82_ = {};
    bool v83_ = {};
    uint v84_ = {};
    bool v85_ = {};
    long v86_ = {};
    long v87_ = {};
    long v88_ = {};
    uint v89_ = {};
    long x78_0_ = {};
    bool y78_0_ = {};
    long x78_1_ = {};
    bool y78_1_ = {};
    uint x78_2_ = {};
    bool y78_2_ = {};
    long v90_ = {};
    long v91_ = {};
    uint v92_ = {};
    bool v93_ = {};
    long v94_ = 0L;
    bool n94_ = false;
    long v95_ = {};
    bool n95_ = {};
    v0_ = c0_;
    v1_ = c1_;
    v2_ = c2_;
    n2_ = d2_;
    long _e11 = v0_;
    long _e12 = v1_;
    v3_ = as_type<long>(as_type<ulong>(_e11) + as_type<ulong>(_e12));
    long _e15 = v0_;
    long _e16 = v3_;
    v4_ = _e15 ^ _e16;
    long _e19 = v1_;
    long _e20 = v3_;
    v5_ = _e19 ^ _e20;
    long _e23 = v4_;
    long _e24 = v5_;
    v6_ = _e23 & _e24;
    long _e29 = v6_;
    long _e30 = v7_;
    v8_ = _e29 < _e30;
    long _e35 = v0_;
    long _e36 = v9_;
    v10_ = _e35 >> static_cast<uint>(_e36 & 63L);
    long _e44 = v10_;
    long _e45 = v11_;
    v12_ = _e44 ^ _e45;
    long _e48 = v3_;
    long _e49 = v12_;
    bool _e50 = v8_;
    v13_ = _e50 ? _e49 : _e48;
    long _e53 = v0_;
    long _e54 = v1_;
    v14_ = as_type<long>(as_type<ulong>(_e53) - as_type<ulong>(_e54));
    long _e57 = v0_;
    long _e58 = v1_;
    v15_ = _e57 ^ _e58;
    long _e61 = v0_;
    long _e62 = v14_;
    v16_ = _e61 ^ _e62;
    long _e65 = v15_;
    long _e66 = v16_;
    v17_ = _e65 & _e66;
    long _e69 = v17_;
    long _e70 = v7_;
    v18_ = _e69 < _e70;
    long _e73 = v14_;
    long _e74 = v12_;
    bool _e75 = v18_;
    v19_ = _e75 ? _e74 : _e73;
    long _e78 = v0_;
    long _e79 = v1_;
    v20_ = as_type<long>(as_type<ulong>(_e78) * as_type<ulong>(_e79));
    long _e82 = v0_;
    long _e84 = v0_;
    long _e86 = v0_;
    v21_ = (_e86 < 0L) ? as_type<long>(as_type<ulong>(0L) - as_type<ulong>(_e84)) : _e82;
    long _e91 = v1_;
    long _e93 = v1_;
    long _e95 = v1_;
    v22_ = (_e95 < 0L) ? as_type<long>(as_type<ulong>(0L) - as_type<ulong>(_e93)) : _e91;
    long _e100 = v21_;
    long _e101 = v22_;
    v23_ = as_type<long>(as_type<ulong>(_e100) * as_type<ulong>(_e101));
    long _e104 = v11_;
    v24_ = ~(_e104);
    long _e107 = v23_;
    long _e108 = v24_;
    v25_ = _e107 == _e108;
    long _e111 = v15_;
    long _e112 = v7_;
    v26_ = _e111 < _e112;
    if (true) {
        bool _e118 = v25_;
        local = !(_e118);
    } else {
        local = false;
    }
    bool _e121 = local;
    if (!(_e121)) {
        if (true) {
            bool _e128 = v26_;
            local_2 = !(_e128);
        } else {
            local_2 = false;
        }
        bool _e131 = local_2;
        local_1 = _e131;
    } else {
        local_1 = true;
    }
    bool _e133 = local_1;
    v27_ = !(_e133);
    long _e136 = v23_;
    long _e137 = v7_;
    v28_ = _e136 >= _e137;
    if (true) {
        bool _e143 = v28_;
        local_3 = _e143;
    } else {
        local_3 = false;
    }
    bool _e145 = local_3;
    if (!(_e145)) {
        if (true) {
            bool _e152 = v27_;
            local_5 = _e152;
        } else {
            local_5 = false;
        }
        bool _e154 = local_5;
        local_4 = _e154;
    } else {
        local_4 = true;
    }
    bool _e156 = local_4;
    v29_ = _e156;
    long _e160 = v21_;
    long _e161 = v30_;
    v31_ = _e160 >> static_cast<uint>(_e161 & 63L);
    long _e169 = v31_;
    long _e170 = v32_;
    v33_ = _e169 & _e170;
    long _e173 = v21_;
    long _e174 = v32_;
    v34_ = _e173 & _e174;
    long _e177 = v22_;
    long _e178 = v30_;
    v35_ = _e177 >> static_cast<uint>(_e178 & 63L);
    long _e184 = v35_;
    long _e185 = v32_;
    v36_ = _e184 & _e185;
    long _e188 = v22_;
    long _e189 = v32_;
    v37_ = _e188 & _e189;
    long _e192 = v33_;
    long _e193 = v37_;
    v38_ = as_type<long>(as_type<ulong>(_e192) * as_type<ulong>(_e193));
    long _e196 = v34_;
    long _e197 = v36_;
    v39_ = as_type<long>(as_type<ulong>(_e196) * as_type<ulong>(_e197));
    long _e200 = v38_;
    long _e201 = v39_;
    v40_ = as_type<long>(as_type<ulong>(_e200) + as_type<ulong>(_e201));
    long _e204 = v34_;
    long _e205 = v37_;
    v41_ = as_type<long>(as_type<ulong>(_e204) * as_type<ulong>(_e205));
    long _e208 = v23_;
    long _e209 = v24_;
    v42_ = _e208 ^ _e209;
    long _e212 = v41_;
    long _e213 = v24_;
    v43_ = _e212 ^ _e213;
    long _e216 = v42_;
    long _e217 = v43_;
    v44_ = _e216 < _e217;
    long _e220 = v33_;
    long _e221 = v36_;
    v45_ = as_type<long>(as_type<ulong>(_e220) * as_type<ulong>(_e221));
    long _e224 = v45_;
    long _e225 = v7_;
    v46_ = _e224 != _e225;
    long _e228 = v40_;
    long _e229 = v30_;
    v47_ = _e228 >> static_cast<uint>(_e229 & 63L);
    long _e235 = v47_;
    long _e236 = v32_;
    v48_ = _e235 & _e236;
    long _e239 = v48_;
    long _e240 = v7_;
    v49_ = _e239 != _e240;
    if (true) {
        bool _e246 = v46_;
        local_6 = _e246;
    } else {
        local_6 = false;
    }
    bool _e248 = local_6;
    if (!(_e248)) {
        if (true) {
            bool _e255 = v49_;
            local_8 = _e255;
        } else {
            local_8 = false;
        }
        bool _e257 = local_8;
        local_7 = _e257;
    } else {
        local_7 = true;
    }
    bool _e259 = local_7;
    v50_ = _e259;
    if (true) {
        bool _e264 = v50_;
        local_9 = _e264;
    } else {
        local_9 = false;
    }
    bool _e266 = local_9;
    if (!(_e266)) {
        if (true) {
            bool _e273 = v44_;
            local_11 = _e273;
        } else {
            local_11 = false;
        }
        bool _e275 = local_11;
        local_10 = _e275;
    } else {
        local_10 = true;
    }
    bool _e277 = local_10;
    v51_ = _e277;
    bool _e279 = v51_;
    v52_ = !(_e279);
    if (true) {
        bool _e285 = v29_;
        local_12 = !(_e285);
    } else {
        local_12 = false;
    }
    bool _e288 = local_12;
    if (!(_e288)) {
        if (true) {
            bool _e295 = v52_;
            local_14 = !(_e295);
        } else {
            local_14 = false;
        }
        bool _e298 = local_14;
        local_13 = _e298;
    } else {
        local_13 = true;
    }
    bool _e300 = local_13;
    v53_ = !(_e300);
    long _e303 = v15_;
    long _e304 = v9_;
    v54_ = _e303 >> static_cast<uint>(_e304 & 63L);
    long _e310 = v54_;
    long _e311 = v11_;
    v55_ = _e310 ^ _e311;
    long _e314 = v55_;
    long _e315 = v20_;
    bool _e316 = v53_;
    v56_ = _e316 ? _e315 : _e314;
    long _e319 = v0_;
    long _e320 = v1_;
    long _e321 = v1_;
    long _e322 = v0_;
    v57_ = (_e321 > _e322) ? _e320 : _e319;
    long _e326 = v0_;
    long _e327 = v1_;
    long _e328 = v1_;
    long _e329 = v0_;
    v58_ = (_e328 < _e329) ? _e327 : _e326;
    long _e333 = v57_;
    long _e334 = v58_;
    v59_ = as_type<long>(as_type<ulong>(_e333) - as_type<ulong>(_e334));
    long _e337 = v59_;
    long _e338 = v9_;
    v60_ = _e337 >> static_cast<uint>(_e338 & 63L);
    long _e346 = v60_;
    long _e347 = v61_;
    v62_ = _e346 & _e347;
    long _e350 = v62_;
    ulong _e351 = nearest_i64_u64_(_e350, bad);
    v63_ = _e351;
    ulong _e355 = v63_;
    ulong _e356 = v64_;
    v65_ = _e355 << static_cast<uint>(_e356 & 63uL);
    long _e362 = v59_;
    long _e363 = v11_;
    v66_ = _e362 & _e363;
    long _e366 = v66_;
    ulong _e367 = nearest_i64_u64_(_e366, bad);
    v67_ = _e367;
    ulong _e369 = v67_;
    ulong _e370 = v65_;
    v68_ = _e369 | _e370;
    long _e373 = v0_;
    long _e374 = v1_;
    v69_ = _e373 & _e374;
    long _e377 = v15_;
    long _e378 = v61_;
    v70_ = _e377 >> static_cast<uint>(_e378 & 63L);
    long _e384 = v69_;
    long _e385 = v70_;
    v71_ = as_type<long>(as_type<ulong>(_e384) + as_type<ulong>(_e385));
    long _e388 = v71_;
    long _e389 = v9_;
    v72_ = _e388 >> static_cast<uint>(_e389 & 63L);
    long _e395 = v72_;
    long _e396 = v15_;
    v73_ = _e395 & _e396;
    long _e399 = v73_;
    long _e400 = v61_;
    v74_ = _e399 & _e400;
    long _e403 = v71_;
    long _e404 = v74_;
    v75_ = as_type<long>(as_type<ulong>(_e403) + as_type<ulong>(_e404));
    uint _e409 = v76_;
    uint _e410 = v2_;
    bool _e411 = n2_;
    v77_ = _e411 ? _e410 : _e409;
    long _e414 = v61_;
    s78_0_ = _e414;
    long _e418 = v0_;
    s78_1_ = _e418;
    uint _e422 = v77_;
    s78_2_ = _e422;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e491 = k78_;
            k78_ = _e491 + 1u;
        }
        loop_init = false;
        uint _e428 = k78_;
        if (_e428 < 32u) {
        } else {
            break;
        }
        {
            long _e431 = s78_0_;
            v79_ = _e431;
            long _e433 = s78_1_;
            v80_ = _e433;
            uint _e435 = s78_2_;
            v81_ = _e435;
            v82_ = 0u;
            uint _e439 = v81_;
            uint _e440 = v82_;
            v83_ = _e439 != _e440;
            uint _e443 = v81_;
            uint _e444 = v76_;
            v84_ = _e443 & _e444;
            uint _e447 = v84_;
            uint _e448 = v82_;
            v85_ = _e447 != _e448;
            long _e451 = v79_;
            long _e452 = v80_;
            v86_ = as_type<long>(as_type<ulong>(_e451) * as_type<ulong>(_e452));
            long _e455 = v79_;
            long _e456 = v86_;
            bool _e457 = v85_;
            v87_ = _e457 ? _e456 : _e455;
            long _e460 = v80_;
            long _e461 = v80_;
            v88_ = as_type<long>(as_type<ulong>(_e460) * as_type<ulong>(_e461));
            uint _e464 = v81_;
            uint _e465 = v76_;
            v89_ = _e464 >> (_e465 & 31u);
            bool _e470 = v83_;
            if (!(_e470)) {
                break;
            }
            long _e472 = v87_;
            x78_0_ = _e472;
            y78_0_ = true;
            long _e476 = v88_;
            x78_1_ = _e476;
            y78_1_ = true;
            uint _e480 = v89_;
            x78_2_ = _e480;
            y78_2_ = true;
            long _e484 = x78_0_;
            s78_0_ = _e484;
            bool _e485 = y78_0_;
            t78_0_ = _e485;
            long _e486 = x78_1_;
            s78_1_ = _e486;
            bool _e487 = y78_1_;
            t78_1_ = _e487;
            uint _e488 = x78_2_;
            s78_2_ = _e488;
            bool _e489 = y78_2_;
            t78_2_ = _e489;
        }
    }
    long _e493 = s78_0_;
    v90_ = _e493;
    long _e495 = s78_1_;
    v91_ = _e495;
    uint _e497 = s78_2_;
    v92_ = _e497;
    bool _e499 = n2_;
    v93_ = !(_e499);
    long _e506 = v90_;
    long _e507 = v94_;
    bool _e508 = v93_;
    v95_ = _e508 ? _e507 : _e506;
    bool _e512 = n94_;
    bool _e513 = v93_;
    n95_ = _e513 ? _e512 : true;
    bool _e517 = bad;
    long _e518 = v13_;
    long _e520 = v19_;
    long _e522 = v56_;
    ulong _e524 = v68_;
    long _e526 = v75_;
    long _e529 = v95_;
    bool _e530 = n95_;
    bool _e532 = n95_;
    return Row {true, _e517, {}, _e518, true, {}, _e520, true, {}, _e522, true, {}, _e524, true, {}, _e526, true, {}, _e530 ? _e529 : 0L, _e532};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_6 const& in1_ [[user(fake0)]]
, device type_7 const& in2_ [[user(fake0)]]
, device type_8 const& inv2_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_6& out1_ [[user(fake0)]]
, device type_6& out2_ [[user(fake0)]]
, device type_6& out3_ [[user(fake0)]]
, device type_6& out4_ [[user(fake0)]]
, device type_6& out5_ [[user(fake0)]]
, device type_8& outv5_ [[user(fake0)]]
, threadgroup type_12& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n5_ = 0u;
    uint step = 0u;
    uint j = {};
    uint bits = 0u;
    uint b = 0u;
    uint rows = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint start = (group.x + (group.y * _e11)) * 4096u;
    if (start >= rows) {
        return;
    }
    uint last = rows - 1u;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e148 = step;
            step = _e148 + 1u;
        }
        loop_init_1 = false;
        uint _e23 = step;
        if (_e23 < 8u) {
        } else {
            break;
        }
        {
            uint _e26 = step;
            uint base = (start + ((_e26 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad2_0_ = in2_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e48 = inv2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e55 = args.inner[4].z;
            uint valid2_0_ = ((_e55 & 1u) != 0u) ? (_e48 >> (first_0_ & 31u)) : 15u;
            {
                uint _e61 = step;
                uint k = _e61 + 0u;
                j = 0u;
                bool loop_init_2 = true;
                while(true) {
                    if (!loop_init_2) {
                        uint _e145 = j;
                        j = _e145 + 1u;
                    }
                    loop_init_2 = false;
                    uint _e66 = j;
                    if (_e66 < 4u) {
                    } else {
                        break;
                    }
                    {
                        {
                            uint _e69 = j;
                            uint _e72 = j;
                            ulong _e76 = in0_[metal::min(unsigned(metal::min(base + _e72, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                            uint _e79 = j;
                            ulong _e83 = in1_[metal::min(unsigned(metal::min(base + _e79, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                            uint _e85 = j;
                            uint _e87 = j;
                            Row _e93 = row(base + _e69, as_type<long>(_e76), as_type<long>(_e83), quad2_0_[metal::min(unsigned(_e85), 3u)], ((valid2_0_ >> _e87) & 1u) != 0u);
                            uint _e94 = j;
                            bool live = (base + _e94) < rows;
                            if (live) {
                                uint _e98 = j;
                                out0_[metal::min(unsigned(base + _e98), (_buffer_sizes.size6 - 0 - 8) / 8)] = as_type<ulong>(_e93.o0_);
                            }
                            if (live) {
                                uint _e104 = j;
                                out1_[metal::min(unsigned(base + _e104), (_buffer_sizes.size7 - 0 - 8) / 8)] = as_type<ulong>(_e93.o1_);
                            }
                            if (live) {
                                uint _e110 = j;
                                out2_[metal::min(unsigned(base + _e110), (_buffer_sizes.size8 - 0 - 8) / 8)] = as_type<ulong>(_e93.o2_);
                            }
                            if (live) {
// … 52 more lines with the checksum 7267609db72279d8
