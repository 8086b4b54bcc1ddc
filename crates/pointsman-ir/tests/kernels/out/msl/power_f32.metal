// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
    uint size3;
    uint size4;
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
struct type_10 {
    uint inner[128];
};

uint abs_f32_(
    uint a
) {
    return a & 2147483647u;
}

int ordered_f32_(
    uint a_1
) {
    return as_type<int>(a_1 & 2147483647u) ^ (as_type<int>(a_1) >> 31u);
}

bool is_nan_f32_(
    uint a_2
) {
    return (a_2 & 2147483647u) > 2139095040u;
}

bool below_f32_(
    uint a_3,
    uint b
) {
    int _e8 = ordered_f32_(((b << 1u) == 0u) ? 2147483648u : b);
    bool _e10 = is_nan_f32_(b);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_3);
    int _e14 = ordered_f32_(a_3);
    return !(_e12) & (_e14 < right);
}

float single(
    uint a_4,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a_4 ^ _e4);
}

float second_single(
    uint a_5,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_5 ^ _e4);
}

uint mul_f32_(
    uint a_6,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_6, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 * _e3);
}

uint canonical_f32_(
    uint a_7
) {
    bool _e2 = is_nan_f32_(a_7);
    return _e2 ? 2143289344u : a_7;
}

uint sub_f32_(
    uint a_8,
    uint b_2,
    constant type_2& args
) {
    float _e2 = single(a_8, args);
    float _e3 = second_single(b_2, args);
    return as_type<uint>(_e2 - _e3);
}

uint add_f32_(
    uint a_9,
    uint b_3,
    constant type_2& args
) {
    float _e2 = single(a_9, args);
    float _e3 = second_single(b_3, args);
    return as_type<uint>(_e2 + _e3);
}

uint div_f32_(
    uint a_10,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_10, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 / _e3);
}

uint neg_f32_(
    uint a_11
) {
    return a_11 ^ 2147483648u;
}

float third_single(
    uint a_12,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_12 ^ _e4);
}

uint fma_f32_(
    uint a_13,
    uint b_5,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_13, args);
    float _e4 = second_single(b_5, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint total_f32_(
    uint a_14
) {
    uint key = ((a_14 >> 31u) != 0u) ? ~(a_14) : (a_14 | 2147483648u);
    bool _e10 = is_nan_f32_(a_14);
    return _e10 ? 4294967295u : key;
}

uint order_f32_(
    uint a_15
) {
    uint _e5 = total_f32_((a_15 == 2147483648u) ? 0u : a_15);
    return _e5;
}

uint trunc_f32_(
    uint a_16
) {
    uint e = (a_16 >> 23u) & 255u;
    if (e >= 150u) {
        return a_16;
    }
    if (e < 127u) {
        return a_16 & 2147483648u;
    }
    return a_16 & ~((8388607u >> (e - 127u)));
}

int naga_neg(int val) {
    return as_type<int>(-as_type<uint>(val));
}

uint word_of_f32_(
    uint a_17
) {
    int e_1 = as_type<int>(as_type<uint>(static_cast<int>((a_17 >> 23u) & 255u)) - as_type<uint>(150));
    uint m = (a_17 & 8388607u) | 8388608u;
    if (e_1 >= 0) {
        return m << static_cast<uint>(metal::min(e_1, 31));
    }
    return (e_1 < -31) ? 0u : (m >> static_cast<uint>(naga_neg(metal::max(e_1, -31))));
}

bool is_negative_f32_(
    uint a_18
) {
    return (a_18 >> 31u) != 0u;
}

int nearest_f32_i32_(
    uint v,
    thread bool& f
) {
    uint _e2 = trunc_f32_(v);
    bool _e3 = is_nan_f32_(_e2);
    if (_e3) {
        return 0;
    }
    uint _e5 = order_f32_(_e2);
    uint _e7 = order_f32_(3472883712u);
    if (_e5 < _e7) {
        return (-2147483647 - 1);
    }
    uint _e10 = order_f32_(_e2);
    uint _e12 = order_f32_(1325400064u);
    if (_e10 >= _e12) {
        return 2147483647;
    }
    uint _e15 = word_of_f32_(_e2);
    uint _e18 = word_of_f32_(_e2);
    bool _e21 = is_negative_f32_(_e2);
    return _e21 ? as_type<int>(as_type<uint>(0) - as_type<uint>(as_type<int>(_e18))) : as_type<int>(_e15);
}

bool above_f32_(
    uint a_19,
    uint b_6
) {
    int _e8 = ordered_f32_(((b_6 << 1u) == 0u) ? 0u : b_6);
    bool _e10 = is_nan_f32_(b_6);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_6);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_19);
    int _e18 = ordered_f32_(a_19);
    return (_e16 > most) | (_e18 > right_1);
}

uint sqrt_f32_(
    uint a_20,
    constant type_2& args
) {
    float _e1 = single(a_20, args);
    return as_type<uint>(metal::sqrt(_e1));
}

Row row(
    uint r,
    uint c0_,
    uint c1_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    uint v2_ = {};
    uint v3_ = 8388608u;
    bool v4_ = {};
    uint v5_ = 1258291200u;
    uint v6_ = {};
    uint v7_ = {};
    int v8_ = {};
    int v9_ = 1253377267;
    int v10_ = 1060439283;
    int v11_ = {};
    int v12_ = {};
    int v13_ = 8388607;
    int v14_ = {};
    int v15_ = {};
    uint v16_ = {};
    int v17_ = 23;
    int v18_ = {};
    uint v19_ = 1065353216u;
    uint v20_ = {};
    uint v21_ = {};
    uint v22_ = {};
    uint v23_ = {};
    uint v24_ = {};
    uint v25_ = {};
    uint v26_ = {};
    uint v27_ = {};
    uint v28_ = {};
    uint v29_ = {};
    uint v30_ = {};
    uint v31_ = {};
    uint v32_ = {};
    uint v33_ = {};
    uint v34_ = {};
    uint v35_ = {};
    uint v36_ = 1051372203u;
    uint v37_ = {};
    uint v38_ = {};
    uint v39_ = {};
    uint v40_ = {};
    uint v41_ = 1047515154u;
    uint v42_ = 1049766213u;
    uint v43_ = {};
    uint v44_ = 1053609216u;
    uint v45_ = {};
    uint v46_ = 1056964608u;
    uint v47_ = {};
    uint v48_ = {};
    uint v49_ = {};
    uint v50_ = 2989140651u;
    uint v51_ = {};
    uint v52_ = {};
    uint v53_ = {};
    uint v54_ = {};
    uint v55_ = {};
    uint v56_ = {};
    uint v57_ = {};
    uint v58_ = {};
    uint v59_ = {};
    uint v60_ = {};
    uint v61_ = {};
    uint v62_ = {};
    uint v63_ = {};
    uint v64_ = {};
    uint v65_ = {};
    uint v66_ = 1077455419u;
    uint v67_ = {};
    uint v68_ = {};
    uint v69_ = {};
    uint v70_ = {};
    uint v71_ = 858091616u;
    uint v72_ = {};
    uint v73_ = {};
    uint v74_ = {};
    uint v75_ = {};
    uint v76_ = {};
    uint v77_ = {};
    uint v78_ = {};
    uint v79_ = {};
    uint v80_ = {};
    uint v81_ = {};
    uint v82_ = {};
    uint v83_ = {};
    uint v84_ = 1126170624u;
    bool v85_ = {};
    uint v86_ = 0u;
    uint v87_ = {};
    uint v88_ = 3273654272u;
    uint v89_ = {};
    uint v90_ = {};
    uint v91_ = 1262485504u;
    uint v92_ = {};
    int v93_ = {};
    int v94_ = {};
    int v95_ = {};
    uint v96_ = {};
    uint v97_ = {};
    uint v98_ = {};
    uint v99_ = 958463392u;
    uint v100_ = 984588185u;
    uint v101_ = {};
    uint v102_ = 1008572072u;
    uint v103_ = {};
    uint v104_ = 1029920627u;
    uint v105_ = {};
    uint v106_ = 1047920110u;
    uint v107_ = {};
    uint v108_ = 1060205080u;
    uint v109_ = {};
    uint v110_ = {};
    int v111_ = 1;
    int v112_ = {};
    int v113_ = 127;
    int v114_ = {};
    int v115_ = {};
    uint v116_ = {};
    uint v117_ = {};
    int v118_ = {};
    int v119_ = {};
    int v120_ = {};
    uint v121_ = {};
    uint v122_ = {};
    uint v123_ = 2139095040u;
    bool v124_ = {};
    bool v125_ = {};
    bool v126_ = {};
    uint v127_ = {};
    bool v128_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool v129_ = {};
    uint v130_ = {};
    uint v131_ = {};
    uint v132_ = {};
    bool v133_ = {};
    uint v134_ = {};
    bool v135_ = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool v136_ = {};
    int v137_ = {};
    int v138_ = 0;
    bool v139_ = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool v140_ = {};
    uint v141_ = {};
    uint v142_ = {};
    bool v143_ = {};
    bool v144_ = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    bool v145_ = {};
    bool v146_ = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool v147_ = {};
    bool v148_ = {};
    bool local_15 = {};
    bool local_16 = {};
    bool local_17 = {};
    bool v149_ = {};
    bool v150_ = {};
    bool local_18 = {};
    bool local_19 = {};
    bool local_20 = {};
    bool v151_ = {};
    bool v152_ = {};
    uint v153_ = {};
    bool v154_ = {};
    bool local_21 = {};
    bool local_22 = {};
    bool local_23 = {};
    bool v155_ = {};
    bool v156_ = {};
    bool local_24 = {};
    bool local_25 = {};
    bool local_26 = {};
    bool v157_ = {};
    bool v158_ = {};
    bool local_27 = {};
    bool local_28 = {};
    bool local_29 = {};
    bool v159_ = {};
    uint v160_ = 2143289344u;
    uint v161_ = {};
    uint v162_ = {};
    uint v163_ = 479665568u;
    bool v164_ = {};
    uint v165_ = 1468006400u;
    uint v166_ = {};
    uint v167_ = {};
    uint v168_ = 1048576000u;
    uint v169_ = {};
    int v170_ = {};
    uint v171_ = {};
    uint v172_ = {};
    int v173_ = {};
    int v174_ = 709958130;
    int v175_ = {};
    uint v176_ = {};
    uint v177_ = {};
    uint v178_ = {};
    uint v179_ = {};
    uint v180_ = {};
    uint v181_ = {};
    uint v182_ = {};
    uint v183_ = {};
    uint v184_ = {};
    uint v185_ = {};
    uint v186_ = {};
    uint v187_ = {};
    uint v188_ = {};
    uint v189_ = {};
    uint v190_ = {};
    uint v191_ = {};
    uint v192_ = {};
    uint v193_ = 1077936128u;
    uint v194_ = {};
    uint v195_ = {};
    uint v196_ = {};
    uint v197_ = 931135488u;
    uint v198_ = {};
    uint v199_ = {};
    bool v200_ = {};
    bool local_30 = {};
    bool local_31 = {};
    bool local_32 = {};
    bool v201_ = {};
    uint v202_ = {};
    int v203_ = (-2147483647 - 1);
    int v204_ = {};
    int v205_ = {};
    int v206_ = {};
    uint v207_ = {};
    uint v208_ = {};
    uint v209_ = {};
    uint v210_ = {};
    uint v211_ = 1585446912u;
    bool v212_ = {};
    uint v213_ = 729808896u;
    bool v214_ = {};
    uint v215_ = 1736441856u;
    uint v216_ = 394264576u;
    uint v217_ = {};
    uint v218_ = {};
    uint v219_ = {};
    uint v220_ = {};
    uint v221_ = {};
    uint v222_ = {};
    uint v223_ = {};
    uint v224_ = {};
    uint v225_ = {};
    uint v226_ = {};
    bool local_33 = {};
    bool local_34 = {};
    bool local_35 = {};
    bool v227_ = {};
    uint v228_ = {};
    uint v229_ = {};
    v0_ = c0_;
    v1_ = c1_;
    uint _e7 = v0_;
    uint _e8 = abs_f32_(_e7);
    v2_ = _e8;
    uint _e12 = v2_;
    uint _e13 = v3_;
    bool _e14 = below_f32_(_e12, _e13);
    v4_ = _e14;
    uint _e18 = v2_;
    uint _e19 = v5_;
    uint _e20 = mul_f32_(_e18, _e19, args);
    v6_ = _e20;
    uint _e22 = v2_;
    uint _e23 = v6_;
    bool _e24 = v4_;
    v7_ = _e24 ? _e23 : _e22;
    uint _e27 = v7_;
    uint _e28 = canonical_f32_(_e27);
    v8_ = as_type<int>(_e28);
    int _e35 = v10_;
    int _e36 = v9_;
    bool _e37 = v4_;
    v11_ = _e37 ? _e36 : _e35;
    int _e40 = v8_;
    int _e41 = v11_;
    v12_ = as_type<int>(as_type<uint>(_e40) - as_type<uint>(_e41));
    int _e46 = v12_;
    int _e47 = v13_;
    v14_ = _e46 & _e47;
    int _e50 = v14_;
    int _e51 = v10_;
    v15_ = as_type<int>(as_type<uint>(_e50) + as_type<uint>(_e51));
    int _e54 = v15_;
    v16_ = as_type<uint>(_e54);
    int _e59 = v12_;
    int _e60 = v17_;
    v18_ = _e59 >> (as_type<uint>(_e60) & 31u);
    uint _e68 = v16_;
    uint _e69 = v19_;
    uint _e70 = sub_f32_(_e68, _e69, args);
    v20_ = _e70;
    uint _e72 = v16_;
    uint _e73 = v19_;
    uint _e74 = add_f32_(_e72, _e73, args);
    v21_ = _e74;
    uint _e76 = v21_;
    uint _e77 = v19_;
    uint _e78 = sub_f32_(_e76, _e77, args);
    v22_ = _e78;
    uint _e80 = v16_;
    uint _e81 = v22_;
    uint _e82 = sub_f32_(_e80, _e81, args);
    v23_ = _e82;
    uint _e84 = v19_;
    uint _e85 = v21_;
    uint _e86 = div_f32_(_e84, _e85, args);
    v24_ = _e86;
    uint _e88 = v20_;
    uint _e89 = v24_;
    uint _e90 = mul_f32_(_e88, _e89, args);
    v25_ = _e90;
    uint _e92 = v25_;
    uint _e93 = neg_f32_(_e92);
    v26_ = _e93;
    uint _e95 = v26_;
    uint _e96 = v21_;
    uint _e97 = v20_;
    uint _e98 = fma_f32_(_e95, _e96, _e97, args);
    v27_ = _e98;
    uint _e100 = v25_;
    uint _e101 = v23_;
    uint _e102 = mul_f32_(_e100, _e101, args);
    v28_ = _e102;
    uint _e104 = v27_;
    uint _e105 = v28_;
    uint _e106 = sub_f32_(_e104, _e105, args);
    v29_ = _e106;
    uint _e108 = v29_;
    uint _e109 = v24_;
    uint _e110 = mul_f32_(_e108, _e109, args);
    v30_ = _e110;
    uint _e112 = v25_;
    uint _e113 = v25_;
    uint _e114 = mul_f32_(_e112, _e113, args);
    v31_ = _e114;
    uint _e116 = v31_;
    uint _e117 = neg_f32_(_e116);
    v32_ = _e117;
    uint _e119 = v25_;
    uint _e120 = v25_;
    uint _e121 = v32_;
    uint _e122 = fma_f32_(_e119, _e120, _e121, args);
    v33_ = _e122;
    uint _e124 = v25_;
    uint _e125 = v25_;
    uint _e126 = add_f32_(_e124, _e125, args);
    v34_ = _e126;
    uint _e128 = v34_;
    uint _e129 = v30_;
    uint _e130 = v33_;
    uint _e131 = fma_f32_(_e128, _e129, _e130, args);
    v35_ = _e131;
    uint _e135 = v31_;
    uint _e136 = v36_;
    uint _e137 = mul_f32_(_e135, _e136, args);
    v37_ = _e137;
    uint _e139 = v37_;
    uint _e140 = neg_f32_(_e139);
    v38_ = _e140;
    uint _e142 = v31_;
    uint _e143 = v36_;
    uint _e144 = v38_;
    uint _e145 = fma_f32_(_e142, _e143, _e144, args);
    v39_ = _e145;
    uint _e147 = v31_;
    uint _e148 = v31_;
    uint _e149 = mul_f32_(_e147, _e148, args);
    v40_ = _e149;
    uint _e155 = v41_;
    uint _e156 = v31_;
    uint _e157 = v42_;
    uint _e158 = fma_f32_(_e155, _e156, _e157, args);
    v43_ = _e158;
    uint _e162 = v43_;
    uint _e163 = v31_;
    uint _e164 = v44_;
    uint _e165 = fma_f32_(_e162, _e163, _e164, args);
    v45_ = _e165;
    uint _e169 = v45_;
    uint _e170 = v46_;
    uint _e171 = mul_f32_(_e169, _e170, args);
    v47_ = _e171;
    uint _e173 = v40_;
    uint _e174 = v47_;
    uint _e175 = mul_f32_(_e173, _e174, args);
    v48_ = _e175;
    uint _e177 = v35_;
    uint _e178 = v36_;
    uint _e179 = v39_;
    uint _e180 = fma_f32_(_e177, _e178, _e179, args);
    v49_ = _e180;
    uint _e184 = v31_;
    uint _e185 = v50_;
    uint _e186 = v49_;
    uint _e187 = fma_f32_(_e184, _e185, _e186, args);
    v51_ = _e187;
    uint _e189 = v48_;
    uint _e190 = v51_;
    uint _e191 = add_f32_(_e189, _e190, args);
    v52_ = _e191;
    uint _e193 = v37_;
    uint _e194 = v52_;
    uint _e195 = add_f32_(_e193, _e194, args);
    v53_ = _e195;
    uint _e197 = v53_;
    uint _e198 = v37_;
    uint _e199 = sub_f32_(_e197, _e198, args);
    v54_ = _e199;
    uint _e201 = v52_;
    uint _e202 = v54_;
    uint _e203 = sub_f32_(_e201, _e202, args);
    v55_ = _e203;
    uint _e205 = v25_;
    uint _e206 = v53_;
    uint _e207 = mul_f32_(_e205, _e206, args);
    v56_ = _e207;
    uint _e209 = v56_;
    uint _e210 = neg_f32_(_e209);
    v57_ = _e210;
    uint _e212 = v25_;
    uint _e213 = v53_;
    uint _e214 = v57_;
    uint _e215 = fma_f32_(_e212, _e213, _e214, args);
    v58_ = _e215;
    uint _e217 = v30_;
    uint _e218 = v53_;
    uint _e219 = v30_;
    uint _e220 = fma_f32_(_e217, _e218, _e219, args);
    v59_ = _e220;
    uint _e222 = v25_;
    uint _e223 = v55_;
    uint _e224 = v59_;
    uint _e225 = fma_f32_(_e222, _e223, _e224, args);
    v60_ = _e225;
    uint _e227 = v58_;
    uint _e228 = v60_;
    uint _e229 = add_f32_(_e227, _e228, args);
    v61_ = _e229;
    uint _e231 = v25_;
    uint _e232 = v56_;
    uint _e233 = add_f32_(_e231, _e232, args);
    v62_ = _e233;
    uint _e235 = v62_;
    uint _e236 = v25_;
    uint _e237 = sub_f32_(_e235, _e236, args);
    v63_ = _e237;
    uint _e239 = v56_;
    uint _e240 = v63_;
    uint _e241 = sub_f32_(_e239, _e240, args);
    v64_ = _e241;
    uint _e243 = v64_;
    uint _e244 = v61_;
    uint _e245 = add_f32_(_e243, _e244, args);
    v65_ = _e245;
    uint _e249 = v62_;
    uint _e250 = v66_;
    uint _e251 = mul_f32_(_e249, _e250, args);
    v67_ = _e251;
    uint _e253 = v67_;
    uint _e254 = neg_f32_(_e253);
    v68_ = _e254;
    uint _e256 = v62_;
    uint _e257 = v66_;
    uint _e258 = v68_;
    uint _e259 = fma_f32_(_e256, _e257, _e258, args);
    v69_ = _e259;
    uint _e261 = v65_;
    uint _e262 = v66_;
    uint _e263 = mul_f32_(_e261, _e262, args);
    v70_ = _e263;
    uint _e267 = v62_;
    uint _e268 = v71_;
    uint _e269 = v70_;
    uint _e270 = fma_f32_(_e267, _e268, _e269, args);
    v72_ = _e270;
    uint _e272 = v69_;
    uint _e273 = v72_;
    uint _e274 = add_f32_(_e272, _e273, args);
    v73_ = _e274;
    int _e276 = v18_;
    v74_ = as_type<uint>(static_cast<float>(_e276));
    uint _e280 = v74_;
    uint _e281 = v67_;
    uint _e282 = add_f32_(_e280, _e281, args);
    v75_ = _e282;
    uint _e284 = v75_;
    uint _e285 = v74_;
    uint _e286 = sub_f32_(_e284, _e285, args);
    v76_ = _e286;
    uint _e288 = v67_;
    uint _e289 = v76_;
    uint _e290 = sub_f32_(_e288, _e289, args);
    v77_ = _e290;
    uint _e292 = v77_;
    uint _e293 = v73_;
    uint _e294 = add_f32_(_e292, _e293, args);
    v78_ = _e294;
    uint _e296 = v1_;
    uint _e297 = v75_;
    uint _e298 = mul_f32_(_e296, _e297, args);
    v79_ = _e298;
    uint _e300 = v79_;
    uint _e301 = neg_f32_(_e300);
    v80_ = _e301;
    uint _e303 = v1_;
    uint _e304 = v75_;
    uint _e305 = v80_;
    uint _e306 = fma_f32_(_e303, _e304, _e305, args);
    v81_ = _e306;
    uint _e308 = v1_;
    uint _e309 = v78_;
    uint _e310 = v81_;
    uint _e311 = fma_f32_(_e308, _e309, _e310, args);
    v82_ = _e311;
    uint _e313 = v79_;
    uint _e314 = abs_f32_(_e313);
    v83_ = _e314;
    uint _e318 = v83_;
    uint _e319 = v84_;
    bool _e320 = below_f32_(_e318, _e319);
    v85_ = _e320;
    uint _e324 = v86_;
    uint _e325 = v82_;
    bool _e326 = v85_;
    v87_ = _e326 ? _e325 : _e324;
    uint _e331 = v79_;
    uint _e332 = v88_;
    uint _e333 = v88_;
    uint _e334 = total_f32_(_e333);
// … 746 more lines with the checksum 97afc104622b2f6f
