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
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    uint o0_;
    bool q0_;
    char _pad4[3];
    uint o1_;
    bool q1_;
    char _pad6[3];
    uint o2_;
    bool q2_;
    char _pad8[3];
    int o3_;
    bool q3_;
    char _pad10[3];
    int o4_;
    bool q4_;
    char _pad12[3];
};
struct type_9 {
    uint inner[128];
};

uint nearest_i32_u32_(
    int v,
    thread bool& f
) {
    if (v < 0) {
        return 0u;
    }
    return as_type<uint>(v);
}

int nearest_u32_i32_(
    uint v_1,
    thread bool& f_1
) {
    if (v_1 > 2147483647u) {
        return 2147483647;
    }
    return as_type<int>(v_1);
}

Row row(
    uint r,
    int c0_,
    uint c1_
) {
    bool bad = false;
    int v0_ = {};
    uint v1_ = {};
    int v2_ = 1;
    int v3_ = {};
    int v4_ = 1431655765;
    int v5_ = {};
    int v6_ = {};
    int v7_ = 858993459;
    int v8_ = {};
    int v9_ = 2;
    int v10_ = {};
    int v11_ = {};
    int v12_ = {};
    int v13_ = 4;
    int v14_ = {};
    int v15_ = {};
    int v16_ = 252645135;
    int v17_ = {};
    int v18_ = 8;
    int v19_ = {};
    int v20_ = {};
    int v21_ = 16;
    int v22_ = {};
    int v23_ = {};
    int v24_ = 127;
    int v25_ = {};
    uint v26_ = {};
    int v27_ = {};
    int v28_ = {};
    int v29_ = {};
    int v30_ = {};
    int v31_ = {};
    int v32_ = {};
    int v33_ = {};
    int v34_ = {};
    int v35_ = {};
    int v36_ = {};
    int v37_ = {};
    int v38_ = {};
    int v39_ = {};
    int v40_ = {};
    int v41_ = {};
    int v42_ = {};
    int v43_ = {};
    int v44_ = {};
    int v45_ = {};
    int v46_ = {};
    int v47_ = {};
    int v48_ = {};
    int v49_ = {};
    int v50_ = {};
    int v51_ = {};
    uint v52_ = {};
    int v53_ = {};
    int v54_ = {};
    int v55_ = {};
    int v56_ = {};
    int v57_ = {};
    int v58_ = {};
    int v59_ = {};
    int v60_ = {};
    int v61_ = {};
    int v62_ = {};
    int v63_ = {};
    int v64_ = {};
    int v65_ = {};
    int v66_ = {};
    int v67_ = {};
    int v68_ = {};
    int v69_ = {};
    int v70_ = {};
    uint v71_ = {};
    uint v72_ = 31u;
    uint v73_ = {};
    int v74_ = {};
    int v75_ = 0;
    int v76_ = {};
    int v77_ = {};
    int v78_ = {};
    int v79_ = {};
    int v80_ = {};
    int v81_ = {};
    int v82_ = {};
    uint v83_ = 0u;
    uint v84_ = {};
    uint v85_ = {};
    int v86_ = {};
    int v87_ = {};
    int v88_ = {};
    int v89_ = {};
    int v90_ = {};
    int v91_ = {};
    int v92_ = {};
    int v93_ = {};
    v0_ = c0_;
    v1_ = c1_;
    int _e9 = v0_;
    int _e10 = v2_;
    v3_ = _e9 >> (as_type<uint>(_e10) & 31u);
    int _e18 = v3_;
    int _e19 = v4_;
    v5_ = _e18 & _e19;
    int _e22 = v0_;
    int _e23 = v5_;
    v6_ = as_type<int>(as_type<uint>(_e22) - as_type<uint>(_e23));
    int _e28 = v6_;
    int _e29 = v7_;
    v8_ = _e28 & _e29;
    int _e34 = v6_;
    int _e35 = v9_;
    v10_ = _e34 >> (as_type<uint>(_e35) & 31u);
    int _e41 = v10_;
    int _e42 = v7_;
    v11_ = _e41 & _e42;
    int _e45 = v8_;
    int _e46 = v11_;
    v12_ = as_type<int>(as_type<uint>(_e45) + as_type<uint>(_e46));
    int _e51 = v12_;
    int _e52 = v13_;
    v14_ = _e51 >> (as_type<uint>(_e52) & 31u);
    int _e58 = v12_;
    int _e59 = v14_;
    v15_ = as_type<int>(as_type<uint>(_e58) + as_type<uint>(_e59));
    int _e64 = v15_;
    int _e65 = v16_;
    v17_ = _e64 & _e65;
    int _e70 = v17_;
    int _e71 = v18_;
    v19_ = _e70 >> (as_type<uint>(_e71) & 31u);
    int _e77 = v17_;
    int _e78 = v19_;
    v20_ = as_type<int>(as_type<uint>(_e77) + as_type<uint>(_e78));
    int _e83 = v20_;
    int _e84 = v21_;
    v22_ = _e83 >> (as_type<uint>(_e84) & 31u);
    int _e90 = v20_;
    int _e91 = v22_;
    v23_ = as_type<int>(as_type<uint>(_e90) + as_type<uint>(_e91));
    int _e96 = v23_;
    int _e97 = v24_;
    v25_ = _e96 & _e97;
    int _e100 = v25_;
    uint _e101 = nearest_i32_u32_(_e100, bad);
    v26_ = _e101;
    int _e103 = v0_;
    int _e104 = v3_;
    v27_ = _e103 | _e104;
    int _e107 = v27_;
    int _e108 = v9_;
    v28_ = _e107 >> (as_type<uint>(_e108) & 31u);
    int _e114 = v27_;
    int _e115 = v28_;
    v29_ = _e114 | _e115;
    int _e118 = v29_;
    int _e119 = v13_;
    v30_ = _e118 >> (as_type<uint>(_e119) & 31u);
    int _e125 = v29_;
    int _e126 = v30_;
    v31_ = _e125 | _e126;
    int _e129 = v31_;
    int _e130 = v18_;
    v32_ = _e129 >> (as_type<uint>(_e130) & 31u);
    int _e136 = v31_;
    int _e137 = v32_;
    v33_ = _e136 | _e137;
    int _e140 = v33_;
    int _e141 = v21_;
    v34_ = _e140 >> (as_type<uint>(_e141) & 31u);
    int _e147 = v33_;
    int _e148 = v34_;
    v35_ = _e147 | _e148;
    int _e151 = v35_;
    v36_ = ~(_e151);
    int _e154 = v36_;
    int _e155 = v2_;
    v37_ = _e154 >> (as_type<uint>(_e155) & 31u);
    int _e161 = v37_;
    int _e162 = v4_;
    v38_ = _e161 & _e162;
    int _e165 = v36_;
    int _e166 = v38_;
    v39_ = as_type<int>(as_type<uint>(_e165) - as_type<uint>(_e166));
    int _e169 = v39_;
    int _e170 = v7_;
    v40_ = _e169 & _e170;
    int _e173 = v39_;
    int _e174 = v9_;
    v41_ = _e173 >> (as_type<uint>(_e174) & 31u);
    int _e180 = v41_;
    int _e181 = v7_;
    v42_ = _e180 & _e181;
    int _e184 = v40_;
    int _e185 = v42_;
    v43_ = as_type<int>(as_type<uint>(_e184) + as_type<uint>(_e185));
    int _e188 = v43_;
    int _e189 = v13_;
    v44_ = _e188 >> (as_type<uint>(_e189) & 31u);
    int _e195 = v43_;
    int _e196 = v44_;
    v45_ = as_type<int>(as_type<uint>(_e195) + as_type<uint>(_e196));
    int _e199 = v45_;
    int _e200 = v16_;
    v46_ = _e199 & _e200;
    int _e203 = v46_;
    int _e204 = v18_;
    v47_ = _e203 >> (as_type<uint>(_e204) & 31u);
    int _e210 = v46_;
    int _e211 = v47_;
    v48_ = as_type<int>(as_type<uint>(_e210) + as_type<uint>(_e211));
    int _e214 = v48_;
    int _e215 = v21_;
    v49_ = _e214 >> (as_type<uint>(_e215) & 31u);
    int _e221 = v48_;
    int _e222 = v49_;
    v50_ = as_type<int>(as_type<uint>(_e221) + as_type<uint>(_e222));
    int _e225 = v50_;
    int _e226 = v24_;
    v51_ = _e225 & _e226;
    int _e229 = v51_;
    uint _e230 = nearest_i32_u32_(_e229, bad);
    v52_ = _e230;
    int _e232 = v0_;
    v53_ = ~(_e232);
    int _e235 = v0_;
    int _e236 = v2_;
    v54_ = as_type<int>(as_type<uint>(_e235) - as_type<uint>(_e236));
    int _e239 = v53_;
    int _e240 = v54_;
    v55_ = _e239 & _e240;
    int _e243 = v55_;
    int _e244 = v2_;
    v56_ = _e243 >> (as_type<uint>(_e244) & 31u);
    int _e250 = v56_;
    int _e251 = v4_;
    v57_ = _e250 & _e251;
    int _e254 = v55_;
    int _e255 = v57_;
    v58_ = as_type<int>(as_type<uint>(_e254) - as_type<uint>(_e255));
    int _e258 = v58_;
    int _e259 = v7_;
    v59_ = _e258 & _e259;
    int _e262 = v58_;
    int _e263 = v9_;
    v60_ = _e262 >> (as_type<uint>(_e263) & 31u);
    int _e269 = v60_;
    int _e270 = v7_;
    v61_ = _e269 & _e270;
    int _e273 = v59_;
    int _e274 = v61_;
    v62_ = as_type<int>(as_type<uint>(_e273) + as_type<uint>(_e274));
    int _e277 = v62_;
    int _e278 = v13_;
    v63_ = _e277 >> (as_type<uint>(_e278) & 31u);
    int _e284 = v62_;
    int _e285 = v63_;
    v64_ = as_type<int>(as_type<uint>(_e284) + as_type<uint>(_e285));
    int _e288 = v64_;
    int _e289 = v16_;
    v65_ = _e288 & _e289;
    int _e292 = v65_;
    int _e293 = v18_;
    v66_ = _e292 >> (as_type<uint>(_e293) & 31u);
    int _e299 = v65_;
    int _e300 = v66_;
    v67_ = as_type<int>(as_type<uint>(_e299) + as_type<uint>(_e300));
    int _e303 = v67_;
    int _e304 = v21_;
    v68_ = _e303 >> (as_type<uint>(_e304) & 31u);
    int _e310 = v67_;
    int _e311 = v68_;
    v69_ = as_type<int>(as_type<uint>(_e310) + as_type<uint>(_e311));
    int _e314 = v69_;
    int _e315 = v24_;
    v70_ = _e314 & _e315;
    int _e318 = v70_;
    uint _e319 = nearest_i32_u32_(_e318, bad);
    v71_ = _e319;
    uint _e323 = v1_;
    uint _e324 = v72_;
    v73_ = _e323 & _e324;
    uint _e327 = v73_;
    int _e328 = nearest_u32_i32_(_e327, bad);
    v74_ = _e328;
    int _e332 = v75_;
    int _e333 = v74_;
    v76_ = as_type<int>(as_type<uint>(_e332) - as_type<uint>(_e333));
    int _e336 = v0_;
    int _e337 = v76_;
    v77_ = _e336 >> (as_type<uint>(_e337) & 31u);
    int _e343 = v2_;
    int _e344 = v74_;
    v78_ = _e343 << (as_type<uint>(_e344) & 31u);
    int _e350 = v78_;
    int _e351 = v2_;
    v79_ = as_type<int>(as_type<uint>(_e350) - as_type<uint>(_e351));
    int _e354 = v77_;
    int _e355 = v79_;
    v80_ = _e354 & _e355;
    int _e358 = v0_;
    int _e359 = v74_;
    v81_ = _e358 << (as_type<uint>(_e359) & 31u);
    int _e365 = v81_;
    int _e366 = v80_;
    v82_ = _e365 | _e366;
    uint _e371 = v83_;
    uint _e372 = v1_;
    v84_ = _e371 - _e372;
    uint _e375 = v84_;
    uint _e376 = v72_;
    v85_ = _e375 & _e376;
    uint _e379 = v85_;
    int _e380 = nearest_u32_i32_(_e379, bad);
    v86_ = _e380;
    int _e382 = v75_;
    int _e383 = v86_;
    v87_ = as_type<int>(as_type<uint>(_e382) - as_type<uint>(_e383));
    int _e386 = v0_;
    int _e387 = v87_;
    v88_ = _e386 >> (as_type<uint>(_e387) & 31u);
    int _e393 = v2_;
    int _e394 = v86_;
    v89_ = _e393 << (as_type<uint>(_e394) & 31u);
    int _e400 = v89_;
    int _e401 = v2_;
    v90_ = as_type<int>(as_type<uint>(_e400) - as_type<uint>(_e401));
    int _e404 = v88_;
    int _e405 = v90_;
    v91_ = _e404 & _e405;
    int _e408 = v0_;
    int _e409 = v86_;
    v92_ = _e408 << (as_type<uint>(_e409) & 31u);
    int _e415 = v92_;
    int _e416 = v91_;
    v93_ = _e415 | _e416;
    bool _e420 = bad;
    uint _e421 = v26_;
    uint _e423 = v52_;
    uint _e425 = v71_;
    int _e427 = v82_;
    int _e429 = v93_;
    return Row {true, _e420, {}, _e421, true, {}, _e423, true, {}, _e425, true, {}, _e427, true, {}, _e429, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_5& out1_ [[user(fake0)]]
, device type_5& out2_ [[user(fake0)]]
, device type_5& out3_ [[user(fake0)]]
, device type_5& out4_ [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint step = 0u;
    metal::uint4 t0_ = {};
    metal::uint4 t1_ = {};
    metal::uint4 t2_ = {};
    metal::uint4 t3_ = {};
    metal::uint4 t4_ = {};
    uint j = {};
    uint rows = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint start = (group.x + (group.y * _e11)) * 4096u;
    if (start >= rows) {
        return;
    }
    uint last = rows - 1u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e131 = step;
            step = _e131 + 1u;
        }
        loop_init = false;
        uint _e21 = step;
        if (_e21 < 8u) {
        } else {
            break;
        }
        {
            uint _e24 = step;
            uint base = (start + ((_e24 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            {
                uint _e46 = step;
                uint k = _e46 + 0u;
                t0_ = metal::uint4 {};
                t1_ = metal::uint4 {};
                t2_ = metal::uint4 {};
                t3_ = metal::uint4 {};
                t4_ = metal::uint4 {};
                j = 0u;
                bool loop_init_1 = true;
                while(true) {
                    if (!loop_init_1) {
                        uint _e103 = j;
                        j = _e103 + 1u;
                    }
                    loop_init_1 = false;
                    uint _e61 = j;
                    if (_e61 < 4u) {
                    } else {
                        break;
                    }
                    {
                        {
                            uint _e64 = j;
                            uint _e66 = j;
                            uint _e69 = j;
                            Row _e71 = row(base + _e64, as_type<int>(quad0_0_[metal::min(unsigned(_e66), 3u)]), quad1_0_[metal::min(unsigned(_e69), 3u)]);
                            uint _e72 = j;
                            bool live = (base + _e72) < rows;
                            uint _e75 = j;
                            t0_[metal::min(unsigned(_e75), 3u)] = live ? _e71.o0_ : 0u;
                            uint _e80 = j;
                            t1_[metal::min(unsigned(_e80), 3u)] = live ? _e71.o1_ : 0u;
                            uint _e85 = j;
                            t2_[metal::min(unsigned(_e85), 3u)] = live ? _e71.o2_ : 0u;
                            uint _e90 = j;
                            t3_[metal::min(unsigned(_e90), 3u)] = live ? as_type<uint>(_e71.o3_) : 0u;
                            uint _e96 = j;
                            t4_[metal::min(unsigned(_e96), 3u)] = live ? as_type<uint>(_e71.o4_) : 0u;
                        }
                    }
                }
                if (base < rows) {
                    metal::uint4 _e110 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)] = _e110;
                    metal::uint4 _e115 = t1_;
                    out1_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e115;
                    metal::uint4 _e120 = t2_;
                    out2_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)] = _e120;
                    metal::uint4 _e125 = t3_;
                    out3_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e125;
                    metal::uint4 _e130 = t4_;
                    out4_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size8 - 0 - 16) / 16)] = _e130;
                }
            }
        }
    }
    return;
}
