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

uint abs_f32_(
    uint a
) {
    return a & 2147483647u;
}

float single(
    uint a_1,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a_1 ^ _e4);
}

float second_single(
    uint a_2,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_2 ^ _e4);
}

float third_single(
    uint a_3,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_3 ^ _e4);
}

uint fma_f32_(
    uint a_4,
    uint b,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_4, args);
    float _e4 = second_single(b, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint sub_f32_(
    uint a_5,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_5, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 - _e3);
}

bool is_nan_f32_(
    uint a_6
) {
    return (a_6 & 2147483647u) > 2139095040u;
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

bool above_f32_(
    uint a_9,
    uint b_2
) {
    int _e8 = ordered_f32_(((b_2 << 1u) == 0u) ? 0u : b_2);
    bool _e10 = is_nan_f32_(b_2);
    int right = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_2);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_9);
    int _e18 = ordered_f32_(a_9);
    return (_e16 > most) | (_e18 > right);
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

uint div_f32_(
    uint a_11,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_11, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 / _e3);
}

bool below_f32_(
    uint a_12,
    uint b_5
) {
    int _e8 = ordered_f32_(((b_5 << 1u) == 0u) ? 2147483648u : b_5);
    bool _e10 = is_nan_f32_(b_5);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_12);
    int _e14 = ordered_f32_(a_12);
    return !(_e12) & (_e14 < right_1);
}

uint add_f32_(
    uint a_13,
    uint b_6,
    constant type_2& args
) {
    float _e2 = single(a_13, args);
    float _e3 = second_single(b_6, args);
    return as_type<uint>(_e2 + _e3);
}

uint sign_f32_(
    uint a_14
) {
    bool local = {};
    if (!(((a_14 << 1u) == 0u))) {
        bool _e12 = is_nan_f32_(a_14);
        local = _e12;
    } else {
        local = true;
    }
    bool _e14 = local;
    return _e14 ? a_14 : (1065353216u | (a_14 & 2147483648u));
}

Row row(
    uint r,
    uint c0_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    uint v2_ = 1069066811u;
    uint v3_ = 1262485504u;
    uint v4_ = {};
    uint v5_ = {};
    uint v6_ = 3207688728u;
    uint v7_ = {};
    int v8_ = {};
    uint v9_ = 822272776u;
    uint v10_ = {};
    uint v11_ = 985003138u;
    uint v12_ = 1007227952u;
    uint v13_ = {};
    uint v14_ = 1026206524u;
    uint v15_ = {};
    uint v16_ = 1042983511u;
    uint v17_ = {};
    uint v18_ = 1056964607u;
    uint v19_ = {};
    uint v20_ = 1065353216u;
    uint v21_ = {};
    uint v22_ = {};
    int v23_ = 1;
    int v24_ = {};
    int v25_ = {};
    int v26_ = 23;
    int v27_ = {};
    int v28_ = {};
    uint v29_ = {};
    uint v30_ = 1119016188u;
    bool v31_ = {};
    uint v32_ = 2123789977u;
    uint v33_ = {};
    uint v34_ = {};
    uint v35_ = 1048576000u;
    uint v36_ = {};
    uint v37_ = {};
    uint v38_ = {};
    uint v39_ = {};
    uint v40_ = 909970132u;
    uint v41_ = 961544009u;
    uint v42_ = {};
    uint v43_ = 1007192218u;
    uint v44_ = {};
    uint v45_ = 1042983595u;
    uint v46_ = {};
    uint v47_ = {};
    bool v48_ = {};
    uint v49_ = {};
    int v50_ = {};
    int v51_ = (-2147483647 - 1);
    int v52_ = {};
    int v53_ = {};
    int v54_ = {};
    uint v55_ = {};
    uint v56_ = {};
    uint v57_ = {};
    uint v58_ = {};
    uint v59_ = {};
    uint v60_ = {};
    uint v61_ = {};
    int v62_ = {};
    uint v63_ = {};
    uint v64_ = {};
    uint v65_ = {};
    uint v66_ = {};
    uint v67_ = {};
    uint v68_ = {};
    uint v69_ = {};
    int v70_ = {};
    int v71_ = {};
    int v72_ = {};
    uint v73_ = {};
    uint v74_ = 1073741824u;
    uint v75_ = {};
    uint v76_ = {};
    uint v77_ = {};
    uint v78_ = 3150813284u;
    uint v79_ = 1017945743u;
    uint v80_ = {};
    uint v81_ = 3176961087u;
    uint v82_ = {};
    uint v83_ = 1040746131u;
    uint v84_ = {};
    uint v85_ = 3198855845u;
    uint v86_ = {};
    uint v87_ = {};
    uint v88_ = 1057803469u;
    bool v89_ = {};
    uint v90_ = {};
    uint v91_ = 1092616192u;
    bool v92_ = {};
    uint v93_ = {};
    uint v94_ = {};
    int v95_ = {};
    int v96_ = {};
    uint v97_ = {};
    uint v98_ = {};
    v0_ = c0_;
    uint _e5 = v0_;
    uint _e6 = abs_f32_(_e5);
    v1_ = _e6;
    uint _e12 = v1_;
    uint _e13 = v2_;
    uint _e14 = v3_;
    uint _e15 = fma_f32_(_e12, _e13, _e14, args);
    v4_ = _e15;
    uint _e17 = v4_;
    uint _e18 = v3_;
    uint _e19 = sub_f32_(_e17, _e18, args);
    v5_ = _e19;
    uint _e23 = v5_;
    uint _e24 = v6_;
    uint _e25 = v1_;
    uint _e26 = fma_f32_(_e23, _e24, _e25, args);
    v7_ = _e26;
    uint _e28 = v4_;
    uint _e29 = canonical_f32_(_e28);
    v8_ = as_type<int>(_e29);
    uint _e34 = v5_;
    uint _e35 = v9_;
    uint _e36 = v7_;
    uint _e37 = fma_f32_(_e34, _e35, _e36, args);
    v10_ = _e37;
    uint _e43 = v11_;
    uint _e44 = v10_;
    uint _e45 = v12_;
    uint _e46 = fma_f32_(_e43, _e44, _e45, args);
    v13_ = _e46;
    uint _e50 = v13_;
    uint _e51 = v10_;
    uint _e52 = v14_;
    uint _e53 = fma_f32_(_e50, _e51, _e52, args);
    v15_ = _e53;
    uint _e57 = v15_;
    uint _e58 = v10_;
    uint _e59 = v16_;
    uint _e60 = fma_f32_(_e57, _e58, _e59, args);
    v17_ = _e60;
    uint _e64 = v17_;
    uint _e65 = v10_;
    uint _e66 = v18_;
    uint _e67 = fma_f32_(_e64, _e65, _e66, args);
    v19_ = _e67;
    uint _e71 = v10_;
    uint _e72 = v19_;
    uint _e73 = v20_;
    uint _e74 = fma_f32_(_e71, _e72, _e73, args);
    v21_ = _e74;
    uint _e76 = v10_;
    uint _e77 = v21_;
    uint _e78 = v20_;
    uint _e79 = fma_f32_(_e76, _e77, _e78, args);
    v22_ = _e79;
    int _e83 = v8_;
    int _e84 = v23_;
    v24_ = as_type<int>(as_type<uint>(_e83) - as_type<uint>(_e84));
    uint _e87 = v22_;
    uint _e88 = canonical_f32_(_e87);
    v25_ = as_type<int>(_e88);
    int _e93 = v24_;
    int _e94 = v26_;
    v27_ = _e93 << (as_type<uint>(_e94) & 31u);
    int _e100 = v25_;
    int _e101 = v27_;
    v28_ = as_type<int>(as_type<uint>(_e100) + as_type<uint>(_e101));
    int _e104 = v28_;
    v29_ = as_type<uint>(_e104);
    uint _e109 = v1_;
    uint _e110 = v30_;
    bool _e111 = above_f32_(_e109, _e110);
    v31_ = _e111;
    uint _e115 = v1_;
    uint _e116 = v32_;
    uint _e117 = mul_f32_(_e115, _e116, args);
    v33_ = _e117;
    uint _e119 = v29_;
    uint _e120 = v33_;
    bool _e121 = v31_;
    v34_ = _e121 ? _e120 : _e119;
    uint _e126 = v35_;
    uint _e127 = v34_;
    uint _e128 = div_f32_(_e126, _e127, args);
    v36_ = _e128;
    uint _e130 = v34_;
    uint _e131 = v36_;
    uint _e132 = sub_f32_(_e130, _e131, args);
    v37_ = _e132;
    uint _e134 = v1_;
    uint _e135 = v1_;
    uint _e136 = mul_f32_(_e134, _e135, args);
    v38_ = _e136;
    uint _e138 = v1_;
    uint _e139 = v38_;
    uint _e140 = mul_f32_(_e138, _e139, args);
    v39_ = _e140;
    uint _e146 = v40_;
    uint _e147 = v38_;
    uint _e148 = v41_;
    uint _e149 = fma_f32_(_e146, _e147, _e148, args);
    v42_ = _e149;
    uint _e153 = v42_;
    uint _e154 = v38_;
    uint _e155 = v43_;
    uint _e156 = fma_f32_(_e153, _e154, _e155, args);
    v44_ = _e156;
    uint _e160 = v44_;
    uint _e161 = v38_;
    uint _e162 = v45_;
    uint _e163 = fma_f32_(_e160, _e161, _e162, args);
    v46_ = _e163;
    uint _e165 = v39_;
    uint _e166 = v46_;
    uint _e167 = v1_;
    uint _e168 = fma_f32_(_e165, _e166, _e167, args);
    v47_ = _e168;
    uint _e170 = v1_;
    uint _e171 = v20_;
    bool _e172 = below_f32_(_e170, _e171);
    v48_ = _e172;
    uint _e174 = v37_;
    uint _e175 = v47_;
    bool _e176 = v48_;
    v49_ = _e176 ? _e175 : _e174;
    uint _e179 = v0_;
    uint _e180 = canonical_f32_(_e179);
    v50_ = as_type<int>(_e180);
    int _e185 = v50_;
    int _e186 = v51_;
    v52_ = _e185 & _e186;
    uint _e189 = v49_;
    uint _e190 = canonical_f32_(_e189);
    v53_ = as_type<int>(_e190);
    int _e193 = v53_;
    int _e194 = v52_;
    v54_ = _e193 | _e194;
    int _e197 = v54_;
    v55_ = as_type<uint>(_e197);
    uint _e200 = v34_;
    uint _e201 = v36_;
    uint _e202 = add_f32_(_e200, _e201, args);
    v56_ = _e202;
    uint _e204 = v55_;
    uint _e205 = v56_;
    uint _e206 = add_f32_(_e204, _e205, args);
    v57_ = _e206;
    uint _e208 = v1_;
    uint _e209 = v1_;
    uint _e210 = add_f32_(_e208, _e209, args);
    v58_ = _e210;
    uint _e212 = v58_;
    uint _e213 = v2_;
    uint _e214 = v3_;
    uint _e215 = fma_f32_(_e212, _e213, _e214, args);
    v59_ = _e215;
    uint _e217 = v59_;
    uint _e218 = v3_;
    uint _e219 = sub_f32_(_e217, _e218, args);
    v60_ = _e219;
    uint _e221 = v60_;
    uint _e222 = v6_;
    uint _e223 = v58_;
    uint _e224 = fma_f32_(_e221, _e222, _e223, args);
    v61_ = _e224;
    uint _e226 = v59_;
    uint _e227 = canonical_f32_(_e226);
    v62_ = as_type<int>(_e227);
    uint _e230 = v60_;
    uint _e231 = v9_;
    uint _e232 = v61_;
    uint _e233 = fma_f32_(_e230, _e231, _e232, args);
    v63_ = _e233;
    uint _e235 = v11_;
    uint _e236 = v63_;
    uint _e237 = v12_;
    uint _e238 = fma_f32_(_e235, _e236, _e237, args);
    v64_ = _e238;
    uint _e240 = v64_;
    uint _e241 = v63_;
    uint _e242 = v14_;
    uint _e243 = fma_f32_(_e240, _e241, _e242, args);
    v65_ = _e243;
    uint _e245 = v65_;
    uint _e246 = v63_;
    uint _e247 = v16_;
    uint _e248 = fma_f32_(_e245, _e246, _e247, args);
    v66_ = _e248;
    uint _e250 = v66_;
    uint _e251 = v63_;
    uint _e252 = v18_;
    uint _e253 = fma_f32_(_e250, _e251, _e252, args);
    v67_ = _e253;
    uint _e255 = v63_;
    uint _e256 = v67_;
    uint _e257 = v20_;
    uint _e258 = fma_f32_(_e255, _e256, _e257, args);
    v68_ = _e258;
    uint _e260 = v63_;
    uint _e261 = v68_;
    uint _e262 = v20_;
    uint _e263 = fma_f32_(_e260, _e261, _e262, args);
    v69_ = _e263;
    uint _e265 = v69_;
    uint _e266 = canonical_f32_(_e265);
    v70_ = as_type<int>(_e266);
    int _e269 = v62_;
    int _e270 = v26_;
    v71_ = _e269 << (as_type<uint>(_e270) & 31u);
    int _e276 = v70_;
    int _e277 = v71_;
    v72_ = as_type<int>(as_type<uint>(_e276) + as_type<uint>(_e277));
    int _e280 = v72_;
    v73_ = as_type<uint>(_e280);
    uint _e285 = v73_;
    uint _e286 = v20_;
    uint _e287 = add_f32_(_e285, _e286, args);
    v75_ = _e287;
    uint _e289 = v74_;
    uint _e290 = v75_;
    uint _e291 = div_f32_(_e289, _e290, args);
    v76_ = _e291;
    uint _e293 = v20_;
    uint _e294 = v76_;
    uint _e295 = sub_f32_(_e293, _e294, args);
    v77_ = _e295;
    uint _e301 = v78_;
    uint _e302 = v38_;
    uint _e303 = v79_;
    uint _e304 = fma_f32_(_e301, _e302, _e303, args);
    v80_ = _e304;
    uint _e308 = v80_;
    uint _e309 = v38_;
    uint _e310 = v81_;
    uint _e311 = fma_f32_(_e308, _e309, _e310, args);
    v82_ = _e311;
    uint _e315 = v82_;
    uint _e316 = v38_;
    uint _e317 = v83_;
    uint _e318 = fma_f32_(_e315, _e316, _e317, args);
    v84_ = _e318;
    uint _e322 = v84_;
    uint _e323 = v38_;
    uint _e324 = v85_;
    uint _e325 = fma_f32_(_e322, _e323, _e324, args);
    v86_ = _e325;
    uint _e327 = v39_;
    uint _e328 = v86_;
    uint _e329 = v1_;
    uint _e330 = fma_f32_(_e327, _e328, _e329, args);
    v87_ = _e330;
    uint _e334 = v1_;
    uint _e335 = v88_;
    bool _e336 = below_f32_(_e334, _e335);
    v89_ = _e336;
    uint _e338 = v77_;
    uint _e339 = v87_;
    bool _e340 = v89_;
    v90_ = _e340 ? _e339 : _e338;
    uint _e345 = v1_;
    uint _e346 = v91_;
    bool _e347 = above_f32_(_e345, _e346);
    v92_ = _e347;
    uint _e349 = v1_;
    uint _e350 = sign_f32_(_e349);
    v93_ = _e350;
    uint _e352 = v90_;
    uint _e353 = v93_;
    bool _e354 = v92_;
    v94_ = _e354 ? _e353 : _e352;
    uint _e357 = v94_;
    uint _e358 = canonical_f32_(_e357);
    v95_ = as_type<int>(_e358);
    int _e361 = v95_;
    int _e362 = v52_;
    v96_ = _e361 | _e362;
    int _e365 = v96_;
    v97_ = as_type<uint>(_e365);
    uint _e368 = v57_;
    uint _e369 = v97_;
    uint _e370 = add_f32_(_e368, _e369, args);
    v98_ = _e370;
    bool _e373 = bad;
    uint _e374 = v98_;
    uint _e375 = canonical_f32_(_e374);
    return Row {true, _e373, {}, _e375, true};
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
