// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
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
};
struct type_9 {
    uint inner[128];
};

bool is_nan_f32_(
    uint a
) {
    return (a & 2147483647u) > 2139095040u;
}

uint total_f32_(
    uint a_1
) {
    uint key = ((a_1 >> 31u) != 0u) ? ~(a_1) : (a_1 | 2147483648u);
    bool _e10 = is_nan_f32_(a_1);
    return _e10 ? 4294967295u : key;
}

float single(
    uint a_2,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a_2 ^ _e4);
}

float second_single(
    uint a_3,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_3 ^ _e4);
}

float third_single(
    uint a_4,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_4 ^ _e4);
}

uint fma_f32_(
    uint a_5,
    uint b,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_5, args);
    float _e4 = second_single(b, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint sub_f32_(
    uint a_6,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_6, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 - _e3);
}

uint canonical_f32_(
    uint a_7
) {
    bool _e2 = is_nan_f32_(a_7);
    return _e2 ? 2143289344u : a_7;
}

int ordered_f32_(
    uint a_8
) {
    return as_type<int>(a_8 & 2147483647u) ^ (as_type<int>(a_8) >> 31u);
}

bool below_f32_(
    uint a_9,
    uint b_2
) {
    int _e8 = ordered_f32_(((b_2 << 1u) == 0u) ? 2147483648u : b_2);
    bool _e10 = is_nan_f32_(b_2);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_9);
    int _e14 = ordered_f32_(a_9);
    return !(_e12) & (_e14 < right);
}

uint mul_f32_(
    uint a_10,
    uint b_3,
    constant type_2& args
) {
    float _e2 = single(a_10, args);
    float _e3 = second_single(b_3, args);
    return as_type<uint>(_e2 * _e3);
}

uint abs_f32_(
    uint a_11
) {
    return a_11 & 2147483647u;
}

bool above_f32_(
    uint a_12,
    uint b_4
) {
    int _e8 = ordered_f32_(((b_4 << 1u) == 0u) ? 0u : b_4);
    bool _e10 = is_nan_f32_(b_4);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_4);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_12);
    int _e18 = ordered_f32_(a_12);
    return (_e16 > most) | (_e18 > right_1);
}

uint add_f32_(
    uint a_13,
    uint b_5,
    constant type_2& args
) {
    float _e2 = single(a_13, args);
    float _e3 = second_single(b_5, args);
    return as_type<uint>(_e2 + _e3);
}

Row row(
    uint r,
    uint c0_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = 3268542464u;
    uint v2_ = {};
    uint v3_ = 1069066811u;
    uint v4_ = 1262485504u;
    uint v5_ = {};
    uint v6_ = {};
    uint v7_ = 3207688728u;
    uint v8_ = {};
    int v9_ = {};
    uint v10_ = 822272776u;
    uint v11_ = {};
    uint v12_ = 985003138u;
    uint v13_ = 1007227952u;
    uint v14_ = {};
    uint v15_ = 1026206524u;
    uint v16_ = {};
    uint v17_ = 1042983511u;
    uint v18_ = {};
    uint v19_ = 1056964607u;
    uint v20_ = {};
    uint v21_ = 1065353216u;
    uint v22_ = {};
    uint v23_ = {};
    uint v24_ = 3266183168u;
    bool v25_ = {};
    int v26_ = 64;
    int v27_ = {};
    int v28_ = {};
    uint v29_ = 528482304u;
    uint v30_ = {};
    int v31_ = {};
    int v32_ = 23;
    int v33_ = {};
    int v34_ = {};
    uint v35_ = {};
    uint v36_ = {};
    uint v37_ = 1118925335u;
    bool v38_ = {};
    uint v39_ = 2123789977u;
    uint v40_ = {};
    uint v41_ = {};
    uint v42_ = 3273129984u;
    uint v43_ = {};
    uint v44_ = {};
    uint v45_ = {};
    uint v46_ = {};
    uint v47_ = 958463392u;
    uint v48_ = 984588185u;
    uint v49_ = {};
    uint v50_ = 1008572072u;
    uint v51_ = {};
    uint v52_ = 1029920627u;
    uint v53_ = {};
    uint v54_ = 1047920110u;
    uint v55_ = {};
    uint v56_ = 1060205080u;
    uint v57_ = {};
    uint v58_ = {};
    int v59_ = {};
    uint v60_ = 3271163904u;
    bool v61_ = {};
    int v62_ = {};
    int v63_ = {};
    uint v64_ = {};
    int v65_ = {};
    int v66_ = {};
    int v67_ = {};
    uint v68_ = {};
    uint v69_ = {};
    uint v70_ = 1124073472u;
    bool v71_ = {};
    uint v72_ = {};
    uint v73_ = {};
    uint v74_ = 3248488448u;
    uint v75_ = {};
    uint v76_ = {};
    uint v77_ = {};
    uint v78_ = {};
    int v79_ = {};
    uint v80_ = {};
    uint v81_ = {};
    uint v82_ = {};
    uint v83_ = {};
    uint v84_ = {};
    uint v85_ = {};
    uint v86_ = {};
    int v87_ = 126;
    int v88_ = {};
    int v89_ = {};
    uint v90_ = {};
    uint v91_ = 1056964608u;
    uint v92_ = {};
    uint v93_ = {};
    uint v94_ = {};
    uint v95_ = 1073741824u;
    uint v96_ = {};
    uint v97_ = {};
    uint v98_ = {};
    uint v99_ = 855638016u;
    bool v100_ = {};
    uint v101_ = {};
    uint v102_ = {};
    v0_ = c0_;
    uint _e7 = v0_;
    uint _e8 = v1_;
    uint _e9 = v1_;
    uint _e10 = total_f32_(_e9);
    uint _e11 = v0_;
    uint _e12 = total_f32_(_e11);
    v2_ = (_e10 > _e12) ? _e8 : _e7;
    uint _e20 = v2_;
    uint _e21 = v3_;
    uint _e22 = v4_;
    uint _e23 = fma_f32_(_e20, _e21, _e22, args);
    v5_ = _e23;
    uint _e25 = v5_;
    uint _e26 = v4_;
    uint _e27 = sub_f32_(_e25, _e26, args);
    v6_ = _e27;
    uint _e31 = v6_;
    uint _e32 = v7_;
    uint _e33 = v2_;
    uint _e34 = fma_f32_(_e31, _e32, _e33, args);
    v8_ = _e34;
    uint _e36 = v5_;
    uint _e37 = canonical_f32_(_e36);
    v9_ = as_type<int>(_e37);
    uint _e42 = v6_;
    uint _e43 = v10_;
    uint _e44 = v8_;
    uint _e45 = fma_f32_(_e42, _e43, _e44, args);
    v11_ = _e45;
    uint _e51 = v12_;
    uint _e52 = v11_;
    uint _e53 = v13_;
    uint _e54 = fma_f32_(_e51, _e52, _e53, args);
    v14_ = _e54;
    uint _e58 = v14_;
    uint _e59 = v11_;
    uint _e60 = v15_;
    uint _e61 = fma_f32_(_e58, _e59, _e60, args);
    v16_ = _e61;
    uint _e65 = v16_;
    uint _e66 = v11_;
    uint _e67 = v17_;
    uint _e68 = fma_f32_(_e65, _e66, _e67, args);
    v18_ = _e68;
    uint _e72 = v18_;
    uint _e73 = v11_;
    uint _e74 = v19_;
    uint _e75 = fma_f32_(_e72, _e73, _e74, args);
    v20_ = _e75;
    uint _e79 = v11_;
    uint _e80 = v20_;
    uint _e81 = v21_;
    uint _e82 = fma_f32_(_e79, _e80, _e81, args);
    v22_ = _e82;
    uint _e84 = v11_;
    uint _e85 = v22_;
    uint _e86 = v21_;
    uint _e87 = fma_f32_(_e84, _e85, _e86, args);
    v23_ = _e87;
    uint _e91 = v2_;
    uint _e92 = v24_;
    bool _e93 = below_f32_(_e91, _e92);
    v25_ = _e93;
    int _e97 = v9_;
    int _e98 = v26_;
    v27_ = as_type<int>(as_type<uint>(_e97) + as_type<uint>(_e98));
    int _e101 = v9_;
    int _e102 = v27_;
    bool _e103 = v25_;
    v28_ = _e103 ? _e102 : _e101;
    uint _e108 = v21_;
    uint _e109 = v29_;
    bool _e110 = v25_;
    v30_ = _e110 ? _e109 : _e108;
    uint _e113 = v23_;
    uint _e114 = canonical_f32_(_e113);
    v31_ = as_type<int>(_e114);
    int _e119 = v28_;
    int _e120 = v32_;
    v33_ = _e119 << (as_type<uint>(_e120) & 31u);
    int _e126 = v31_;
    int _e127 = v33_;
    v34_ = as_type<int>(as_type<uint>(_e126) + as_type<uint>(_e127));
    int _e130 = v34_;
    v35_ = as_type<uint>(_e130);
    uint _e133 = v35_;
    uint _e134 = v30_;
    uint _e135 = mul_f32_(_e133, _e134, args);
    v36_ = _e135;
    uint _e139 = v0_;
    uint _e140 = v37_;
    bool _e141 = above_f32_(_e139, _e140);
    v38_ = _e141;
    uint _e145 = v0_;
    uint _e146 = v39_;
    uint _e147 = mul_f32_(_e145, _e146, args);
    v40_ = _e147;
    uint _e149 = v36_;
    uint _e150 = v40_;
    bool _e151 = v38_;
    v41_ = _e151 ? _e150 : _e149;
    uint _e156 = v0_;
    uint _e157 = v42_;
    uint _e158 = v42_;
    uint _e159 = total_f32_(_e158);
    uint _e160 = v0_;
    uint _e161 = total_f32_(_e160);
    v43_ = (_e159 > _e161) ? _e157 : _e156;
    uint _e165 = v43_;
    uint _e166 = v4_;
    uint _e167 = add_f32_(_e165, _e166, args);
    v44_ = _e167;
    uint _e169 = v44_;
    uint _e170 = v4_;
    uint _e171 = sub_f32_(_e169, _e170, args);
    v45_ = _e171;
    uint _e173 = v43_;
    uint _e174 = v45_;
    uint _e175 = sub_f32_(_e173, _e174, args);
    v46_ = _e175;
    uint _e181 = v47_;
    uint _e182 = v46_;
    uint _e183 = v48_;
    uint _e184 = fma_f32_(_e181, _e182, _e183, args);
    v49_ = _e184;
    uint _e188 = v49_;
    uint _e189 = v46_;
    uint _e190 = v50_;
    uint _e191 = fma_f32_(_e188, _e189, _e190, args);
    v51_ = _e191;
    uint _e195 = v51_;
    uint _e196 = v46_;
    uint _e197 = v52_;
    uint _e198 = fma_f32_(_e195, _e196, _e197, args);
    v53_ = _e198;
    uint _e202 = v53_;
    uint _e203 = v46_;
    uint _e204 = v54_;
    uint _e205 = fma_f32_(_e202, _e203, _e204, args);
    v55_ = _e205;
    uint _e209 = v55_;
    uint _e210 = v46_;
    uint _e211 = v56_;
    uint _e212 = fma_f32_(_e209, _e210, _e211, args);
    v57_ = _e212;
    uint _e214 = v46_;
    uint _e215 = v57_;
    uint _e216 = v21_;
    uint _e217 = fma_f32_(_e214, _e215, _e216, args);
    v58_ = _e217;
    uint _e219 = v44_;
    uint _e220 = canonical_f32_(_e219);
    v59_ = as_type<int>(_e220);
    uint _e225 = v43_;
    uint _e226 = v60_;
    bool _e227 = below_f32_(_e225, _e226);
    v61_ = _e227;
    int _e229 = v59_;
    int _e230 = v26_;
    v62_ = as_type<int>(as_type<uint>(_e229) + as_type<uint>(_e230));
    int _e233 = v59_;
    int _e234 = v62_;
    bool _e235 = v61_;
    v63_ = _e235 ? _e234 : _e233;
    uint _e238 = v21_;
    uint _e239 = v29_;
    bool _e240 = v61_;
    v64_ = _e240 ? _e239 : _e238;
    uint _e243 = v58_;
    uint _e244 = canonical_f32_(_e243);
    v65_ = as_type<int>(_e244);
    int _e247 = v63_;
    int _e248 = v32_;
    v66_ = _e247 << (as_type<uint>(_e248) & 31u);
    int _e254 = v65_;
    int _e255 = v66_;
    v67_ = as_type<int>(as_type<uint>(_e254) + as_type<uint>(_e255));
    int _e258 = v67_;
    v68_ = as_type<uint>(_e258);
    uint _e261 = v68_;
    uint _e262 = v64_;
    uint _e263 = mul_f32_(_e261, _e262, args);
    v69_ = _e263;
    uint _e267 = v0_;
    uint _e268 = v70_;
    bool _e269 = below_f32_(_e267, _e268);
    v71_ = !(_e269);
    uint _e272 = v69_;
    uint _e273 = v40_;
    bool _e274 = v71_;
    v72_ = _e274 ? _e273 : _e272;
    uint _e277 = v41_;
    uint _e278 = v72_;
    uint _e279 = add_f32_(_e277, _e278, args);
    v73_ = _e279;
    uint _e283 = v0_;
    uint _e284 = v74_;
    uint _e285 = v74_;
    uint _e286 = total_f32_(_e285);
    uint _e287 = v0_;
    uint _e288 = total_f32_(_e287);
    v75_ = (_e286 > _e288) ? _e284 : _e283;
    uint _e292 = v75_;
    uint _e293 = v3_;
    uint _e294 = v4_;
    uint _e295 = fma_f32_(_e292, _e293, _e294, args);
    v76_ = _e295;
    uint _e297 = v76_;
    uint _e298 = v4_;
    uint _e299 = sub_f32_(_e297, _e298, args);
    v77_ = _e299;
    uint _e301 = v77_;
    uint _e302 = v7_;
    uint _e303 = v75_;
    uint _e304 = fma_f32_(_e301, _e302, _e303, args);
    v78_ = _e304;
    uint _e306 = v76_;
    uint _e307 = canonical_f32_(_e306);
    v79_ = as_type<int>(_e307);
    uint _e310 = v77_;
    uint _e311 = v10_;
    uint _e312 = v78_;
    uint _e313 = fma_f32_(_e310, _e311, _e312, args);
    v80_ = _e313;
    uint _e315 = v80_;
    uint _e316 = v80_;
    uint _e317 = mul_f32_(_e315, _e316, args);
    v81_ = _e317;
    uint _e319 = v12_;
    uint _e320 = v80_;
    uint _e321 = v13_;
    uint _e322 = fma_f32_(_e319, _e320, _e321, args);
    v82_ = _e322;
    uint _e324 = v82_;
    uint _e325 = v80_;
    uint _e326 = v15_;
    uint _e327 = fma_f32_(_e324, _e325, _e326, args);
    v83_ = _e327;
    uint _e329 = v83_;
    uint _e330 = v80_;
    uint _e331 = v17_;
    uint _e332 = fma_f32_(_e329, _e330, _e331, args);
    v84_ = _e332;
    uint _e334 = v84_;
    uint _e335 = v80_;
    uint _e336 = v19_;
    uint _e337 = fma_f32_(_e334, _e335, _e336, args);
    v85_ = _e337;
    uint _e339 = v81_;
    uint _e340 = v85_;
    uint _e341 = mul_f32_(_e339, _e340, args);
    v86_ = _e341;
    int _e345 = v79_;
    int _e346 = v87_;
    v88_ = as_type<int>(as_type<uint>(_e345) + as_type<uint>(_e346));
    int _e349 = v88_;
    int _e350 = v32_;
    v89_ = _e349 << (as_type<uint>(_e350) & 31u);
    int _e356 = v89_;
    v90_ = as_type<uint>(_e356);
    uint _e361 = v90_;
    uint _e362 = v91_;
    uint _e363 = sub_f32_(_e361, _e362, args);
    v92_ = _e363;
    uint _e365 = v90_;
    uint _e366 = v80_;
    uint _e367 = v92_;
    uint _e368 = fma_f32_(_e365, _e366, _e367, args);
    v93_ = _e368;
    uint _e370 = v90_;
    uint _e371 = v86_;
    uint _e372 = v93_;
    uint _e373 = fma_f32_(_e370, _e371, _e372, args);
    v94_ = _e373;
    uint _e377 = v94_;
    uint _e378 = v95_;
    uint _e379 = mul_f32_(_e377, _e378, args);
    v96_ = _e379;
    uint _e381 = v96_;
    uint _e382 = v40_;
    bool _e383 = v38_;
    v97_ = _e383 ? _e382 : _e381;
    uint _e386 = v0_;
    uint _e387 = abs_f32_(_e386);
    v98_ = _e387;
    uint _e391 = v98_;
    uint _e392 = v99_;
    bool _e393 = below_f32_(_e391, _e392);
    v100_ = _e393;
    uint _e395 = v97_;
    uint _e396 = v0_;
    bool _e397 = v100_;
    v101_ = _e397 ? _e396 : _e395;
    uint _e400 = v73_;
    uint _e401 = v101_;
    uint _e402 = add_f32_(_e400, _e401, args);
    v102_ = _e402;
    bool _e405 = bad;
    uint _e406 = v102_;
    uint _e407 = canonical_f32_(_e406);
    return Row {true, _e405, {}, _e407, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint step = 0u;
    metal::uint4 t0_ = {};
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
            uint _e73 = step;
            step = _e73 + 1u;
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
            {
                uint _e41 = step;
                uint k = _e41 + 0u;
                t0_ = metal::uint4 {};
                j = 0u;
                bool loop_init_1 = true;
                while(true) {
                    if (!loop_init_1) {
                        uint _e65 = j;
                        j = _e65 + 1u;
                    }
                    loop_init_1 = false;
                    uint _e48 = j;
                    if (_e48 < 4u) {
                    } else {
                        break;
                    }
                    {
                        {
                            uint _e51 = j;
                            uint _e53 = j;
                            Row _e55 = row(base + _e51, quad0_0_[metal::min(unsigned(_e53), 3u)], args);
                            uint _e56 = j;
                            bool live = (base + _e56) < rows;
                            uint _e59 = j;
                            t0_[metal::min(unsigned(_e59), 3u)] = live ? _e55.o0_ : 0u;
                        }
                    }
                }
                if (base < rows) {
                    metal::uint4 _e72 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)] = _e72;
                }
            }
        }
    }
    return;
}
