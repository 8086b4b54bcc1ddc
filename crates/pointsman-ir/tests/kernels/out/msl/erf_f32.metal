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

uint mul_f32_(
    uint a_3,
    uint b,
    constant type_2& args
) {
    float _e2 = single(a_3, args);
    float _e3 = second_single(b, args);
    return as_type<uint>(_e2 * _e3);
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
    uint b_1,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_5, args);
    float _e4 = second_single(b_1, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

bool is_nan_f32_(
    uint a_6
) {
    return (a_6 & 2147483647u) > 2139095040u;
}

uint total_f32_(
    uint a_7
) {
    uint key = ((a_7 >> 31u) != 0u) ? ~(a_7) : (a_7 | 2147483648u);
    bool _e10 = is_nan_f32_(a_7);
    return _e10 ? 4294967295u : key;
}

uint neg_f32_(
    uint a_8
) {
    return a_8 ^ 2147483648u;
}

uint sub_f32_(
    uint a_9,
    uint b_2,
    constant type_2& args
) {
    float _e2 = single(a_9, args);
    float _e3 = second_single(b_2, args);
    return as_type<uint>(_e2 - _e3);
}

uint canonical_f32_(
    uint a_10
) {
    bool _e2 = is_nan_f32_(a_10);
    return _e2 ? 2143289344u : a_10;
}

uint add_f32_(
    uint a_11,
    uint b_3,
    constant type_2& args
) {
    float _e2 = single(a_11, args);
    float _e3 = second_single(b_3, args);
    return as_type<uint>(_e2 + _e3);
}

uint div_f32_(
    uint a_12,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_12, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 / _e3);
}

int ordered_f32_(
    uint a_13
) {
    return as_type<int>(a_13 & 2147483647u) ^ (as_type<int>(a_13) >> 31u);
}

bool below_f32_(
    uint a_14,
    uint b_5
) {
    int _e8 = ordered_f32_(((b_5 << 1u) == 0u) ? 2147483648u : b_5);
    bool _e10 = is_nan_f32_(b_5);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_14);
    int _e14 = ordered_f32_(a_14);
    return !(_e12) & (_e14 < right);
}

Row row(
    uint r,
    uint c0_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    uint v2_ = {};
    uint v3_ = 950318383u;
    uint v4_ = 3125934983u;
    uint v5_ = {};
    uint v6_ = 1000997594u;
    uint v7_ = {};
    uint v8_ = 3168533639u;
    uint v9_ = {};
    uint v10_ = 1038554748u;
    uint v11_ = {};
    uint v12_ = 3200291743u;
    uint v13_ = {};
    uint v14_ = 1040414164u;
    uint v15_ = {};
    uint v16_ = {};
    uint v17_ = 1082130432u;
    uint v18_ = {};
    uint v19_ = {};
    uint v20_ = {};
    uint v21_ = 1069066811u;
    uint v22_ = 1262485504u;
    uint v23_ = {};
    uint v24_ = {};
    uint v25_ = 3207688728u;
    uint v26_ = {};
    int v27_ = {};
    uint v28_ = 822272776u;
    uint v29_ = {};
    uint v30_ = 1065353216u;
    uint v31_ = 1073741824u;
    uint v32_ = {};
    uint v33_ = {};
    uint v34_ = 3236714333u;
    uint v35_ = 1092812167u;
    uint v36_ = {};
    uint v37_ = 3204711562u;
    uint v38_ = {};
    uint v39_ = 1070279099u;
    uint v40_ = {};
    uint v41_ = 1057290100u;
    uint v42_ = {};
    uint v43_ = 988733719u;
    uint v44_ = {};
    uint v45_ = 985003138u;
    uint v46_ = 1007227952u;
    uint v47_ = {};
    uint v48_ = 1026206524u;
    uint v49_ = {};
    uint v50_ = 1042983511u;
    uint v51_ = {};
    uint v52_ = 1056964607u;
    uint v53_ = {};
    uint v54_ = {};
    uint v55_ = {};
    int v56_ = {};
    int v57_ = 23;
    int v58_ = {};
    int v59_ = {};
    uint v60_ = {};
    uint v61_ = {};
    uint v62_ = {};
    bool v63_ = {};
    uint v64_ = {};
    bool v65_ = {};
    int v66_ = {};
    int v67_ = (-2147483647 - 1);
    int v68_ = {};
    int v69_ = {};
    int v70_ = {};
    uint v71_ = {};
    uint v72_ = {};
    v0_ = c0_;
    uint _e5 = v0_;
    uint _e6 = abs_f32_(_e5);
    v1_ = _e6;
    uint _e8 = v1_;
    uint _e9 = v1_;
    uint _e10 = mul_f32_(_e8, _e9, args);
    v2_ = _e10;
    uint _e16 = v3_;
    uint _e17 = v2_;
    uint _e18 = v4_;
    uint _e19 = fma_f32_(_e16, _e17, _e18, args);
    v5_ = _e19;
    uint _e23 = v5_;
    uint _e24 = v2_;
    uint _e25 = v6_;
    uint _e26 = fma_f32_(_e23, _e24, _e25, args);
    v7_ = _e26;
    uint _e30 = v7_;
    uint _e31 = v2_;
    uint _e32 = v8_;
    uint _e33 = fma_f32_(_e30, _e31, _e32, args);
    v9_ = _e33;
    uint _e37 = v9_;
    uint _e38 = v2_;
    uint _e39 = v10_;
    uint _e40 = fma_f32_(_e37, _e38, _e39, args);
    v11_ = _e40;
    uint _e44 = v11_;
    uint _e45 = v2_;
    uint _e46 = v12_;
    uint _e47 = fma_f32_(_e44, _e45, _e46, args);
    v13_ = _e47;
    uint _e51 = v13_;
    uint _e52 = v2_;
    uint _e53 = v14_;
    uint _e54 = fma_f32_(_e51, _e52, _e53, args);
    v15_ = _e54;
    uint _e56 = v1_;
    uint _e57 = v15_;
    uint _e58 = v1_;
    uint _e59 = fma_f32_(_e56, _e57, _e58, args);
    v16_ = _e59;
    uint _e63 = v1_;
    uint _e64 = v17_;
    uint _e65 = v17_;
    uint _e66 = total_f32_(_e65);
    uint _e67 = v1_;
    uint _e68 = total_f32_(_e67);
    v18_ = (_e66 < _e68) ? _e64 : _e63;
    uint _e72 = v18_;
    uint _e73 = v18_;
    uint _e74 = mul_f32_(_e72, _e73, args);
    v19_ = _e74;
    uint _e76 = v19_;
    uint _e77 = neg_f32_(_e76);
    v20_ = _e77;
    uint _e83 = v20_;
    uint _e84 = v21_;
    uint _e85 = v22_;
    uint _e86 = fma_f32_(_e83, _e84, _e85, args);
    v23_ = _e86;
    uint _e88 = v23_;
    uint _e89 = v22_;
    uint _e90 = sub_f32_(_e88, _e89, args);
    v24_ = _e90;
    uint _e94 = v24_;
    uint _e95 = v25_;
    uint _e96 = v20_;
    uint _e97 = fma_f32_(_e94, _e95, _e96, args);
    v26_ = _e97;
    uint _e99 = v23_;
    uint _e100 = canonical_f32_(_e99);
    v27_ = as_type<int>(_e100);
    uint _e105 = v24_;
    uint _e106 = v28_;
    uint _e107 = v26_;
    uint _e108 = fma_f32_(_e105, _e106, _e107, args);
    v29_ = _e108;
    uint _e114 = v18_;
    uint _e115 = v31_;
    uint _e116 = add_f32_(_e114, _e115, args);
    v32_ = _e116;
    uint _e118 = v30_;
    uint _e119 = v32_;
    uint _e120 = div_f32_(_e118, _e119, args);
    v33_ = _e120;
    uint _e126 = v34_;
    uint _e127 = v33_;
    uint _e128 = v35_;
    uint _e129 = fma_f32_(_e126, _e127, _e128, args);
    v36_ = _e129;
    uint _e133 = v36_;
    uint _e134 = v33_;
    uint _e135 = v37_;
    uint _e136 = fma_f32_(_e133, _e134, _e135, args);
    v38_ = _e136;
    uint _e140 = v38_;
    uint _e141 = v33_;
    uint _e142 = v39_;
    uint _e143 = fma_f32_(_e140, _e141, _e142, args);
    v40_ = _e143;
    uint _e147 = v40_;
    uint _e148 = v33_;
    uint _e149 = v41_;
    uint _e150 = fma_f32_(_e147, _e148, _e149, args);
    v42_ = _e150;
    uint _e154 = v42_;
    uint _e155 = v33_;
    uint _e156 = v43_;
    uint _e157 = fma_f32_(_e154, _e155, _e156, args);
    v44_ = _e157;
    uint _e163 = v45_;
    uint _e164 = v29_;
    uint _e165 = v46_;
    uint _e166 = fma_f32_(_e163, _e164, _e165, args);
    v47_ = _e166;
    uint _e170 = v47_;
    uint _e171 = v29_;
    uint _e172 = v48_;
    uint _e173 = fma_f32_(_e170, _e171, _e172, args);
    v49_ = _e173;
    uint _e177 = v49_;
    uint _e178 = v29_;
    uint _e179 = v50_;
    uint _e180 = fma_f32_(_e177, _e178, _e179, args);
    v51_ = _e180;
    uint _e184 = v51_;
    uint _e185 = v29_;
    uint _e186 = v52_;
    uint _e187 = fma_f32_(_e184, _e185, _e186, args);
    v53_ = _e187;
    uint _e189 = v29_;
    uint _e190 = v53_;
    uint _e191 = v30_;
    uint _e192 = fma_f32_(_e189, _e190, _e191, args);
    v54_ = _e192;
    uint _e194 = v29_;
    uint _e195 = v54_;
    uint _e196 = v30_;
    uint _e197 = fma_f32_(_e194, _e195, _e196, args);
    v55_ = _e197;
    uint _e199 = v55_;
    uint _e200 = canonical_f32_(_e199);
    v56_ = as_type<int>(_e200);
    int _e205 = v27_;
    int _e206 = v57_;
    v58_ = _e205 << (as_type<uint>(_e206) & 31u);
    int _e212 = v56_;
    int _e213 = v58_;
    v59_ = as_type<int>(as_type<uint>(_e212) + as_type<uint>(_e213));
    int _e216 = v59_;
    v60_ = as_type<uint>(_e216);
    uint _e219 = v60_;
    uint _e220 = neg_f32_(_e219);
    v61_ = _e220;
    uint _e222 = v61_;
    uint _e223 = v44_;
    uint _e224 = v30_;
    uint _e225 = fma_f32_(_e222, _e223, _e224, args);
    v62_ = _e225;
    uint _e227 = v1_;
    uint _e228 = v30_;
    bool _e229 = below_f32_(_e227, _e228);
    v63_ = _e229;
    uint _e231 = v62_;
    uint _e232 = v16_;
    bool _e233 = v63_;
    v64_ = _e233 ? _e232 : _e231;
    uint _e236 = v0_;
    bool _e237 = is_nan_f32_(_e236);
    v65_ = _e237;
    uint _e239 = v0_;
    uint _e240 = canonical_f32_(_e239);
    v66_ = as_type<int>(_e240);
    int _e245 = v66_;
    int _e246 = v67_;
    v68_ = _e245 & _e246;
    uint _e249 = v64_;
    uint _e250 = canonical_f32_(_e249);
    v69_ = as_type<int>(_e250);
    int _e253 = v69_;
    int _e254 = v68_;
    v70_ = _e253 | _e254;
    int _e257 = v70_;
    v71_ = as_type<uint>(_e257);
    uint _e260 = v71_;
    uint _e261 = v0_;
    bool _e262 = v65_;
    v72_ = _e262 ? _e261 : _e260;
    bool _e266 = bad;
    uint _e267 = v72_;
    uint _e268 = canonical_f32_(_e267);
    return Row {true, _e266, {}, _e268, true};
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
