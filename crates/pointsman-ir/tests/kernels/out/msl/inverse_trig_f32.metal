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
struct type_9 {
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

bool above_f32_(
    uint a_3,
    uint b
) {
    int _e8 = ordered_f32_(((b << 1u) == 0u) ? 0u : b);
    bool _e10 = is_nan_f32_(b);
    int right = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_3);
    int _e18 = ordered_f32_(a_3);
    return (_e16 > most) | (_e18 > right);
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

float third_single(
    uint a_6,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_6 ^ _e4);
}

uint fma_f32_(
    uint a_7,
    uint b_1,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_7, args);
    float _e4 = second_single(b_1, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint mul_f32_(
    uint a_8,
    uint b_2,
    constant type_2& args
) {
    float _e2 = single(a_8, args);
    float _e3 = second_single(b_2, args);
    return as_type<uint>(_e2 * _e3);
}

uint sqrt_f32_(
    uint a_9,
    constant type_2& args
) {
    float _e1 = single(a_9, args);
    return as_type<uint>(metal::sqrt(_e1));
}

uint add_f32_(
    uint a_10,
    uint b_3,
    constant type_2& args
) {
    float _e2 = single(a_10, args);
    float _e3 = second_single(b_3, args);
    return as_type<uint>(_e2 + _e3);
}

uint sub_f32_(
    uint a_11,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_11, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 - _e3);
}

uint canonical_f32_(
    uint a_12
) {
    bool _e2 = is_nan_f32_(a_12);
    return _e2 ? 2143289344u : a_12;
}

bool below_f32_(
    uint a_13,
    uint b_5
) {
    int _e8 = ordered_f32_(((b_5 << 1u) == 0u) ? 2147483648u : b_5);
    bool _e10 = is_nan_f32_(b_5);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_13);
    int _e14 = ordered_f32_(a_13);
    return !(_e12) & (_e14 < right_1);
}

uint neg_f32_(
    uint a_14
) {
    return a_14 ^ 2147483648u;
}

uint div_f32_(
    uint a_15,
    uint b_6,
    constant type_2& args
) {
    float _e2 = single(a_15, args);
    float _e3 = second_single(b_6, args);
    return as_type<uint>(_e2 / _e3);
}

uint total_f32_(
    uint a_16
) {
    uint key = ((a_16 >> 31u) != 0u) ? ~(a_16) : (a_16 | 2147483648u);
    bool _e10 = is_nan_f32_(a_16);
    return _e10 ? 4294967295u : key;
}

uint order_f32_(
    uint a_17
) {
    uint _e5 = total_f32_((a_17 == 2147483648u) ? 0u : a_17);
    return _e5;
}

uint sign_f32_(
    uint a_18
) {
    bool local = {};
    if (!(((a_18 << 1u) == 0u))) {
        bool _e12 = is_nan_f32_(a_18);
        local = _e12;
    } else {
        local = true;
    }
    bool _e14 = local;
    return _e14 ? a_18 : (1065353216u | (a_18 & 2147483648u));
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
    uint v3_ = 1056964608u;
    bool v4_ = {};
    uint v5_ = 3204448256u;
    uint v6_ = {};
    uint v7_ = {};
    uint v8_ = {};
    uint v9_ = {};
    uint v10_ = {};
    uint v11_ = {};
    uint v12_ = 1026343623u;
    uint v13_ = 1019610805u;
    uint v14_ = {};
    uint v15_ = 1027227750u;
    uint v16_ = {};
    uint v17_ = 1033470183u;
    uint v18_ = {};
    uint v19_ = 1042983652u;
    uint v20_ = {};
    uint v21_ = {};
    uint v22_ = {};
    uint v23_ = 1070141403u;
    uint v24_ = {};
    uint v25_ = {};
    uint v26_ = {};
    uint v27_ = {};
    uint v28_ = 3007036718u;
    uint v29_ = {};
    uint v30_ = {};
    uint v31_ = {};
    uint v32_ = {};
    uint v33_ = {};
    int v34_ = {};
    int v35_ = (-2147483647 - 1);
    int v36_ = {};
    int v37_ = {};
    int v38_ = {};
    uint v39_ = {};
    uint v40_ = 0u;
    bool v41_ = {};
    uint v42_ = {};
    uint v43_ = {};
    uint v44_ = {};
    uint v45_ = {};
    uint v46_ = {};
    uint v47_ = 1078530011u;
    uint v48_ = {};
    uint v49_ = 3015425326u;
    uint v50_ = {};
    uint v51_ = {};
    uint v52_ = {};
    uint v53_ = {};
    uint v54_ = {};
    uint v55_ = {};
    uint v56_ = 1065353216u;
    bool v57_ = {};
    uint v58_ = {};
    uint v59_ = {};
    uint v60_ = {};
    uint v61_ = {};
    uint v62_ = {};
    uint v63_ = 3135969095u;
    uint v64_ = 1009963712u;
    uint v65_ = {};
    uint v66_ = 3170854974u;
    uint v67_ = {};
    uint v68_ = 1030579378u;
    uint v69_ = {};
    uint v70_ = 3182172723u;
    uint v71_ = {};
    uint v72_ = 1038109943u;
    uint v73_ = {};
    uint v74_ = 3188855002u;
    uint v75_ = {};
    uint v76_ = 1045219582u;
    uint v77_ = {};
    uint v78_ = 3198855839u;
    uint v79_ = {};
    uint v80_ = {};
    uint v81_ = {};
    uint v82_ = {};
    uint v83_ = {};
    uint v84_ = {};
    uint v85_ = {};
    int v86_ = {};
    int v87_ = {};
    uint v88_ = {};
    uint v89_ = {};
    uint v90_ = {};
    uint v91_ = {};
    uint v92_ = {};
    bool v93_ = {};
    uint v94_ = {};
    uint v95_ = {};
    uint v96_ = {};
    uint v97_ = {};
    uint v98_ = {};
    uint v99_ = {};
    uint v100_ = {};
    uint v101_ = {};
    uint v102_ = {};
    uint v103_ = {};
    uint v104_ = {};
    uint v105_ = {};
    uint v106_ = {};
    uint v107_ = {};
    bool v108_ = {};
    int v109_ = {};
    int v110_ = 0;
    bool v111_ = {};
    bool v112_ = {};
    uint v113_ = {};
    uint v114_ = {};
    uint v115_ = {};
    uint v116_ = {};
    uint v117_ = {};
    uint v118_ = {};
    uint v119_ = {};
    uint v120_ = {};
    uint v121_ = {};
    uint v122_ = {};
    uint v123_ = {};
    int v124_ = {};
    int v125_ = {};
    uint v126_ = {};
    uint v127_ = {};
    v0_ = c0_;
    v1_ = c1_;
    uint _e7 = v0_;
    uint _e8 = abs_f32_(_e7);
    v2_ = _e8;
    uint _e12 = v2_;
    uint _e13 = v3_;
    bool _e14 = above_f32_(_e12, _e13);
    v4_ = _e14;
    uint _e18 = v2_;
    uint _e19 = v5_;
    uint _e20 = v3_;
    uint _e21 = fma_f32_(_e18, _e19, _e20, args);
    v6_ = _e21;
    uint _e23 = v2_;
    uint _e24 = v2_;
    uint _e25 = mul_f32_(_e23, _e24, args);
    v7_ = _e25;
    uint _e27 = v7_;
    uint _e28 = v6_;
    bool _e29 = v4_;
    v8_ = _e29 ? _e28 : _e27;
    uint _e32 = v8_;
    uint _e33 = sqrt_f32_(_e32, args);
    v9_ = _e33;
    uint _e35 = v2_;
    uint _e36 = v9_;
    bool _e37 = v4_;
    v10_ = _e37 ? _e36 : _e35;
    uint _e40 = v10_;
    uint _e41 = v8_;
    uint _e42 = mul_f32_(_e40, _e41, args);
    v11_ = _e42;
    uint _e48 = v12_;
    uint _e49 = v8_;
    uint _e50 = v13_;
    uint _e51 = fma_f32_(_e48, _e49, _e50, args);
    v14_ = _e51;
    uint _e55 = v14_;
    uint _e56 = v8_;
    uint _e57 = v15_;
    uint _e58 = fma_f32_(_e55, _e56, _e57, args);
    v16_ = _e58;
    uint _e62 = v16_;
    uint _e63 = v8_;
    uint _e64 = v17_;
    uint _e65 = fma_f32_(_e62, _e63, _e64, args);
    v18_ = _e65;
    uint _e69 = v18_;
    uint _e70 = v8_;
    uint _e71 = v19_;
    uint _e72 = fma_f32_(_e69, _e70, _e71, args);
    v20_ = _e72;
    uint _e74 = v11_;
    uint _e75 = v20_;
    uint _e76 = mul_f32_(_e74, _e75, args);
    v21_ = _e76;
    uint _e78 = v10_;
    uint _e79 = v10_;
    uint _e80 = add_f32_(_e78, _e79, args);
    v22_ = _e80;
    uint _e84 = v23_;
    uint _e85 = v22_;
    uint _e86 = sub_f32_(_e84, _e85, args);
    v24_ = _e86;
    uint _e88 = v23_;
    uint _e89 = v24_;
    uint _e90 = sub_f32_(_e88, _e89, args);
    v25_ = _e90;
    uint _e92 = v25_;
    uint _e93 = v22_;
    uint _e94 = sub_f32_(_e92, _e93, args);
    v26_ = _e94;
    uint _e96 = v21_;
    uint _e97 = v21_;
    uint _e98 = add_f32_(_e96, _e97, args);
    v27_ = _e98;
    uint _e102 = v26_;
    uint _e103 = v28_;
    uint _e104 = add_f32_(_e102, _e103, args);
    v29_ = _e104;
    uint _e106 = v27_;
    uint _e107 = v29_;
    uint _e108 = sub_f32_(_e106, _e107, args);
    v30_ = _e108;
    uint _e110 = v24_;
    uint _e111 = v30_;
    uint _e112 = sub_f32_(_e110, _e111, args);
    v31_ = _e112;
    uint _e114 = v10_;
    uint _e115 = v21_;
    uint _e116 = add_f32_(_e114, _e115, args);
    v32_ = _e116;
    uint _e118 = v32_;
    uint _e119 = v31_;
    bool _e120 = v4_;
    v33_ = _e120 ? _e119 : _e118;
    uint _e123 = v0_;
    uint _e124 = canonical_f32_(_e123);
    v34_ = as_type<int>(_e124);
    int _e129 = v34_;
    int _e130 = v35_;
    v36_ = _e129 & _e130;
    uint _e133 = v33_;
    uint _e134 = canonical_f32_(_e133);
    v37_ = as_type<int>(_e134);
    int _e137 = v37_;
    int _e138 = v36_;
    v38_ = _e137 | _e138;
    int _e141 = v38_;
    v39_ = as_type<uint>(_e141);
    uint _e146 = v0_;
    uint _e147 = v40_;
    bool _e148 = below_f32_(_e146, _e147);
    v41_ = _e148;
    uint _e150 = v21_;
    uint _e151 = neg_f32_(_e150);
    v42_ = _e151;
    uint _e153 = v21_;
    uint _e154 = v42_;
    bool _e155 = v41_;
    v43_ = _e155 ? _e154 : _e153;
    uint _e158 = v23_;
    uint _e159 = v0_;
    uint _e160 = sub_f32_(_e158, _e159, args);
    v44_ = _e160;
    uint _e162 = v43_;
    uint _e163 = v28_;
    uint _e164 = sub_f32_(_e162, _e163, args);
    v45_ = _e164;
    uint _e166 = v44_;
    uint _e167 = v45_;
    uint _e168 = sub_f32_(_e166, _e167, args);
    v46_ = _e168;
    uint _e172 = v47_;
    uint _e173 = v22_;
    uint _e174 = sub_f32_(_e172, _e173, args);
    v48_ = _e174;
    uint _e178 = v27_;
    uint _e179 = v49_;
    uint _e180 = sub_f32_(_e178, _e179, args);
    v50_ = _e180;
    uint _e182 = v48_;
    uint _e183 = v50_;
    uint _e184 = sub_f32_(_e182, _e183, args);
    v51_ = _e184;
    uint _e186 = v22_;
    uint _e187 = v27_;
    uint _e188 = add_f32_(_e186, _e187, args);
    v52_ = _e188;
    uint _e190 = v52_;
    uint _e191 = v51_;
    bool _e192 = v41_;
    v53_ = _e192 ? _e191 : _e190;
    uint _e195 = v46_;
    uint _e196 = v53_;
    bool _e197 = v4_;
    v54_ = _e197 ? _e196 : _e195;
    uint _e200 = v39_;
    uint _e201 = v54_;
    uint _e202 = add_f32_(_e200, _e201, args);
    v55_ = _e202;
    uint _e206 = v2_;
    uint _e207 = v56_;
    bool _e208 = above_f32_(_e206, _e207);
    v57_ = _e208;
    uint _e210 = v2_;
    uint _e211 = v56_;
    bool _e212 = v57_;
    v58_ = _e212 ? _e211 : _e210;
    uint _e215 = v56_;
    uint _e216 = v2_;
    bool _e217 = v57_;
    v59_ = _e217 ? _e216 : _e215;
    uint _e220 = v58_;
    uint _e221 = v59_;
    uint _e222 = div_f32_(_e220, _e221, args);
    v60_ = _e222;
    uint _e224 = v60_;
    uint _e225 = v60_;
    uint _e226 = mul_f32_(_e224, _e225, args);
    v61_ = _e226;
    uint _e228 = v60_;
    uint _e229 = v61_;
    uint _e230 = mul_f32_(_e228, _e229, args);
    v62_ = _e230;
    uint _e236 = v63_;
    uint _e237 = v61_;
    uint _e238 = v64_;
    uint _e239 = fma_f32_(_e236, _e237, _e238, args);
    v65_ = _e239;
    uint _e243 = v65_;
    uint _e244 = v61_;
    uint _e245 = v66_;
    uint _e246 = fma_f32_(_e243, _e244, _e245, args);
    v67_ = _e246;
    uint _e250 = v67_;
    uint _e251 = v61_;
    uint _e252 = v68_;
    uint _e253 = fma_f32_(_e250, _e251, _e252, args);
    v69_ = _e253;
    uint _e257 = v69_;
    uint _e258 = v61_;
    uint _e259 = v70_;
    uint _e260 = fma_f32_(_e257, _e258, _e259, args);
    v71_ = _e260;
    uint _e264 = v71_;
    uint _e265 = v61_;
    uint _e266 = v72_;
    uint _e267 = fma_f32_(_e264, _e265, _e266, args);
    v73_ = _e267;
    uint _e271 = v73_;
    uint _e272 = v61_;
    uint _e273 = v74_;
    uint _e274 = fma_f32_(_e271, _e272, _e273, args);
    v75_ = _e274;
    uint _e278 = v75_;
    uint _e279 = v61_;
    uint _e280 = v76_;
    uint _e281 = fma_f32_(_e278, _e279, _e280, args);
    v77_ = _e281;
    uint _e285 = v77_;
    uint _e286 = v61_;
    uint _e287 = v78_;
    uint _e288 = fma_f32_(_e285, _e286, _e287, args);
    v79_ = _e288;
    uint _e290 = v62_;
    uint _e291 = v79_;
    uint _e292 = mul_f32_(_e290, _e291, args);
    v80_ = _e292;
    uint _e294 = v23_;
    uint _e295 = v60_;
    uint _e296 = sub_f32_(_e294, _e295, args);
    v81_ = _e296;
    uint _e298 = v80_;
    uint _e299 = v28_;
    uint _e300 = sub_f32_(_e298, _e299, args);
    v82_ = _e300;
    uint _e302 = v81_;
    uint _e303 = v82_;
    uint _e304 = sub_f32_(_e302, _e303, args);
    v83_ = _e304;
    uint _e306 = v60_;
    uint _e307 = v80_;
    uint _e308 = add_f32_(_e306, _e307, args);
    v84_ = _e308;
    uint _e310 = v84_;
    uint _e311 = v83_;
    bool _e312 = v57_;
    v85_ = _e312 ? _e311 : _e310;
    uint _e315 = v85_;
    uint _e316 = canonical_f32_(_e315);
    v86_ = as_type<int>(_e316);
    int _e319 = v86_;
    int _e320 = v36_;
    v87_ = _e319 | _e320;
    int _e323 = v87_;
    v88_ = as_type<uint>(_e323);
    uint _e326 = v55_;
    uint _e327 = v88_;
    uint _e328 = add_f32_(_e326, _e327, args);
    v89_ = _e328;
    uint _e330 = v1_;
    uint _e331 = abs_f32_(_e330);
    v90_ = _e331;
    uint _e333 = v2_;
    uint _e334 = v90_;
    uint _e335 = v90_;
    uint _e336 = total_f32_(_e335);
    uint _e337 = v2_;
    uint _e338 = total_f32_(_e337);
    v91_ = (_e336 < _e338) ? _e334 : _e333;
    uint _e342 = v2_;
    uint _e343 = v90_;
    uint _e344 = v90_;
    uint _e345 = total_f32_(_e344);
    uint _e346 = v2_;
    uint _e347 = total_f32_(_e346);
    v92_ = (_e345 > _e347) ? _e343 : _e342;
    uint _e351 = v91_;
    uint _e352 = order_f32_(_e351);
    uint _e353 = v92_;
    uint _e354 = order_f32_(_e353);
    v93_ = _e352 == _e354;
    uint _e357 = v92_;
    uint _e358 = sign_f32_(_e357);
    v94_ = _e358;
    uint _e360 = v91_;
    uint _e361 = v92_;
    uint _e362 = div_f32_(_e360, _e361, args);
    v95_ = _e362;
    uint _e364 = v95_;
    uint _e365 = v94_;
    bool _e366 = v93_;
    v96_ = _e366 ? _e365 : _e364;
    uint _e369 = v96_;
    uint _e370 = v96_;
    uint _e371 = mul_f32_(_e369, _e370, args);
    v97_ = _e371;
    uint _e373 = v96_;
    uint _e374 = v97_;
    uint _e375 = mul_f32_(_e373, _e374, args);
    v98_ = _e375;
    uint _e377 = v63_;
    uint _e378 = v97_;
    uint _e379 = v64_;
    uint _e380 = fma_f32_(_e377, _e378, _e379, args);
    v99_ = _e380;
    uint _e382 = v99_;
    uint _e383 = v97_;
    uint _e384 = v66_;
    uint _e385 = fma_f32_(_e382, _e383, _e384, args);
    v100_ = _e385;
    uint _e387 = v100_;
    uint _e388 = v97_;
    uint _e389 = v68_;
    uint _e390 = fma_f32_(_e387, _e388, _e389, args);
    v101_ = _e390;
    uint _e392 = v101_;
    uint _e393 = v97_;
    uint _e394 = v70_;
    uint _e395 = fma_f32_(_e392, _e393, _e394, args);
    v102_ = _e395;
    uint _e397 = v102_;
    uint _e398 = v97_;
    uint _e399 = v72_;
    uint _e400 = fma_f32_(_e397, _e398, _e399, args);
    v103_ = _e400;
    uint _e402 = v103_;
    uint _e403 = v97_;
    uint _e404 = v74_;
    uint _e405 = fma_f32_(_e402, _e403, _e404, args);
    v104_ = _e405;
    uint _e407 = v104_;
    uint _e408 = v97_;
    uint _e409 = v76_;
    uint _e410 = fma_f32_(_e407, _e408, _e409, args);
    v105_ = _e410;
    uint _e412 = v105_;
    uint _e413 = v97_;
    uint _e414 = v78_;
    uint _e415 = fma_f32_(_e412, _e413, _e414, args);
    v106_ = _e415;
    uint _e417 = v98_;
    uint _e418 = v106_;
    uint _e419 = mul_f32_(_e417, _e418, args);
    v107_ = _e419;
    uint _e421 = v2_;
    uint _e422 = v90_;
    bool _e423 = above_f32_(_e421, _e422);
    v108_ = _e423;
    uint _e425 = v1_;
    uint _e426 = canonical_f32_(_e425);
    v109_ = as_type<int>(_e426);
    int _e431 = v109_;
    int _e432 = v110_;
    v111_ = _e431 < _e432;
    bool _e435 = v108_;
    bool _e437 = v111_;
    v112_ = static_cast<uint>(_e435) != static_cast<uint>(_e437);
    uint _e441 = v96_;
    uint _e442 = neg_f32_(_e441);
    v113_ = _e442;
    uint _e444 = v96_;
    uint _e445 = v113_;
    bool _e446 = v112_;
    v114_ = _e446 ? _e445 : _e444;
    uint _e449 = v107_;
    uint _e450 = neg_f32_(_e449);
    v115_ = _e450;
    uint _e452 = v107_;
    uint _e453 = v115_;
    bool _e454 = v112_;
    v116_ = _e454 ? _e453 : _e452;
    uint _e457 = v40_;
    uint _e458 = v47_;
    bool _e459 = v111_;
    v117_ = _e459 ? _e458 : _e457;
    uint _e462 = v117_;
    uint _e463 = v23_;
    bool _e464 = v108_;
    v118_ = _e464 ? _e463 : _e462;
    uint _e467 = v118_;
    uint _e468 = v114_;
    uint _e469 = add_f32_(_e467, _e468, args);
    v119_ = _e469;
    uint _e471 = v40_;
    uint _e472 = v49_;
    bool _e473 = v111_;
    v120_ = _e473 ? _e472 : _e471;
    uint _e476 = v120_;
    uint _e477 = v28_;
    bool _e478 = v108_;
    v121_ = _e478 ? _e477 : _e476;
    uint _e481 = v116_;
    uint _e482 = v121_;
    uint _e483 = add_f32_(_e481, _e482, args);
    v122_ = _e483;
    uint _e485 = v119_;
    uint _e486 = v122_;
    uint _e487 = add_f32_(_e485, _e486, args);
    v123_ = _e487;
    uint _e489 = v123_;
    uint _e490 = canonical_f32_(_e489);
    v124_ = as_type<int>(_e490);
    int _e493 = v124_;
    int _e494 = v36_;
    v125_ = _e493 | _e494;
    int _e497 = v125_;
    v126_ = as_type<uint>(_e497);
    uint _e500 = v89_;
    uint _e501 = v126_;
    uint _e502 = add_f32_(_e500, _e501, args);
    v127_ = _e502;
    bool _e505 = bad;
    uint _e506 = v127_;
    uint _e507 = canonical_f32_(_e506);
    return Row {true, _e505, {}, _e507, true};
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
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint step = 0u;
// … 66 more lines with the checksum ce36b6106c876f10
