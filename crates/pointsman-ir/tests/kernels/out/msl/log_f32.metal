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

int ordered_f32_(
    uint a
) {
    return as_type<int>(a & 2147483647u) ^ (as_type<int>(a) >> 31u);
}

bool is_nan_f32_(
    uint a_1
) {
    return (a_1 & 2147483647u) > 2139095040u;
}

bool below_f32_(
    uint a_2,
    uint b
) {
    int _e8 = ordered_f32_(((b << 1u) == 0u) ? 2147483648u : b);
    bool _e10 = is_nan_f32_(b);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_2);
    int _e14 = ordered_f32_(a_2);
    return !(_e12) & (_e14 < right);
}

float single(
    uint a_3,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a_3 ^ _e4);
}

float second_single(
    uint a_4,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_4 ^ _e4);
}

uint mul_f32_(
    uint a_5,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_5, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 * _e3);
}

uint canonical_f32_(
    uint a_6
) {
    bool _e2 = is_nan_f32_(a_6);
    return _e2 ? 2143289344u : a_6;
}

uint sub_f32_(
    uint a_7,
    uint b_2,
    constant type_2& args
) {
    float _e2 = single(a_7, args);
    float _e3 = second_single(b_2, args);
    return as_type<uint>(_e2 - _e3);
}

float third_single(
    uint a_8,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_8 ^ _e4);
}

uint fma_f32_(
    uint a_9,
    uint b_3,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_9, args);
    float _e4 = second_single(b_3, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint add_f32_(
    uint a_10,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_10, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 + _e3);
}

uint total_f32_(
    uint a_11
) {
    uint key = ((a_11 >> 31u) != 0u) ? ~(a_11) : (a_11 | 2147483648u);
    bool _e10 = is_nan_f32_(a_11);
    return _e10 ? 4294967295u : key;
}

uint order_f32_(
    uint a_12
) {
    uint _e5 = total_f32_((a_12 == 2147483648u) ? 0u : a_12);
    return _e5;
}

uint abs_f32_(
    uint a_13
) {
    return a_13 & 2147483647u;
}

bool above_f32_(
    uint a_14,
    uint b_5
) {
    int _e8 = ordered_f32_(((b_5 << 1u) == 0u) ? 0u : b_5);
    bool _e10 = is_nan_f32_(b_5);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_5);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_14);
    int _e18 = ordered_f32_(a_14);
    return (_e16 > most) | (_e18 > right_1);
}

uint neg_f32_(
    uint a_15
) {
    return a_15 ^ 2147483648u;
}

Row row(
    uint r,
    uint c0_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = 8388608u;
    bool v2_ = {};
    uint v3_ = 1258291200u;
    uint v4_ = {};
    uint v5_ = {};
    int v6_ = {};
    int v7_ = 1253377267;
    int v8_ = 1060439283;
    int v9_ = {};
    int v10_ = {};
    int v11_ = 8388607;
    int v12_ = {};
    int v13_ = {};
    uint v14_ = {};
    int v15_ = 23;
    int v16_ = {};
    uint v17_ = 1065353216u;
    uint v18_ = {};
    uint v19_ = {};
    uint v20_ = {};
    uint v21_ = 3181154668u;
    uint v22_ = 1040366366u;
    uint v23_ = {};
    uint v24_ = 3188113039u;
    uint v25_ = {};
    uint v26_ = 1041328855u;
    uint v27_ = {};
    uint v28_ = 3190438226u;
    uint v29_ = {};
    uint v30_ = 1045221408u;
    uint v31_ = {};
    uint v32_ = 3196059923u;
    uint v33_ = {};
    uint v34_ = 1051372202u;
    uint v35_ = {};
    uint v36_ = 3204448256u;
    uint v37_ = {};
    uint v38_ = {};
    uint v39_ = 2969756424u;
    uint v40_ = {};
    uint v41_ = {};
    uint v42_ = 1060205080u;
    uint v43_ = {};
    uint v44_ = 2139095040u;
    bool v45_ = {};
    uint v46_ = {};
    uint v47_ = 0u;
    bool v48_ = {};
    uint v49_ = 4286578688u;
    uint v50_ = 2143289344u;
    uint v51_ = {};
    bool v52_ = {};
    uint v53_ = {};
    uint v54_ = {};
    uint v55_ = {};
    uint v56_ = {};
    uint v57_ = 849703008u;
    uint v58_ = {};
    uint v59_ = 1069066811u;
    uint v60_ = {};
    uint v61_ = {};
    uint v62_ = {};
    uint v63_ = {};
    uint v64_ = {};
    uint v65_ = {};
    uint v66_ = 2989330863u;
    uint v67_ = {};
    uint v68_ = 1054759897u;
    uint v69_ = {};
    uint v70_ = 2994079840u;
    uint v71_ = {};
    uint v72_ = {};
    uint v73_ = 1050288283u;
    uint v74_ = {};
    uint v75_ = {};
    uint v76_ = {};
    uint v77_ = {};
    uint v78_ = {};
    uint v79_ = {};
    uint v80_ = {};
    uint v81_ = {};
    uint v82_ = {};
    int v83_ = {};
    int v84_ = {};
    int v85_ = {};
    int v86_ = {};
    uint v87_ = {};
    int v88_ = {};
    int v89_ = 127;
    int v90_ = {};
    int v91_ = {};
    int v92_ = {};
    uint v93_ = {};
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
    uint v108_ = {};
    uint v109_ = {};
    uint v110_ = {};
    uint v111_ = {};
    uint v112_ = {};
    bool v113_ = {};
    uint v114_ = {};
    bool v115_ = {};
    uint v116_ = {};
    bool v117_ = {};
    uint v118_ = {};
    uint v119_ = {};
    uint v120_ = 855638016u;
    bool v121_ = {};
    uint v122_ = {};
    uint v123_ = {};
    v0_ = c0_;
    uint _e7 = v0_;
    uint _e8 = v1_;
    bool _e9 = below_f32_(_e7, _e8);
    v2_ = _e9;
    uint _e13 = v0_;
    uint _e14 = v3_;
    uint _e15 = mul_f32_(_e13, _e14, args);
    v4_ = _e15;
    uint _e17 = v0_;
    uint _e18 = v4_;
    bool _e19 = v2_;
    v5_ = _e19 ? _e18 : _e17;
    uint _e22 = v5_;
    uint _e23 = canonical_f32_(_e22);
    v6_ = as_type<int>(_e23);
    int _e30 = v8_;
    int _e31 = v7_;
    bool _e32 = v2_;
    v9_ = _e32 ? _e31 : _e30;
    int _e35 = v6_;
    int _e36 = v9_;
    v10_ = as_type<int>(as_type<uint>(_e35) - as_type<uint>(_e36));
    int _e41 = v10_;
    int _e42 = v11_;
    v12_ = _e41 & _e42;
    int _e45 = v12_;
    int _e46 = v8_;
    v13_ = as_type<int>(as_type<uint>(_e45) + as_type<uint>(_e46));
    int _e49 = v13_;
    v14_ = as_type<uint>(_e49);
    int _e54 = v10_;
    int _e55 = v15_;
    v16_ = _e54 >> (as_type<uint>(_e55) & 31u);
    uint _e63 = v14_;
    uint _e64 = v17_;
    uint _e65 = sub_f32_(_e63, _e64, args);
    v18_ = _e65;
    int _e67 = v16_;
    v19_ = as_type<uint>(static_cast<float>(_e67));
    uint _e71 = v18_;
    uint _e72 = v18_;
    uint _e73 = mul_f32_(_e71, _e72, args);
    v20_ = _e73;
    uint _e79 = v21_;
    uint _e80 = v18_;
    uint _e81 = v22_;
    uint _e82 = fma_f32_(_e79, _e80, _e81, args);
    v23_ = _e82;
    uint _e86 = v23_;
    uint _e87 = v18_;
    uint _e88 = v24_;
    uint _e89 = fma_f32_(_e86, _e87, _e88, args);
    v25_ = _e89;
    uint _e93 = v25_;
    uint _e94 = v18_;
    uint _e95 = v26_;
    uint _e96 = fma_f32_(_e93, _e94, _e95, args);
    v27_ = _e96;
    uint _e100 = v27_;
    uint _e101 = v18_;
    uint _e102 = v28_;
    uint _e103 = fma_f32_(_e100, _e101, _e102, args);
    v29_ = _e103;
    uint _e107 = v29_;
    uint _e108 = v18_;
    uint _e109 = v30_;
    uint _e110 = fma_f32_(_e107, _e108, _e109, args);
    v31_ = _e110;
    uint _e114 = v31_;
    uint _e115 = v18_;
    uint _e116 = v32_;
    uint _e117 = fma_f32_(_e114, _e115, _e116, args);
    v33_ = _e117;
    uint _e121 = v33_;
    uint _e122 = v18_;
    uint _e123 = v34_;
    uint _e124 = fma_f32_(_e121, _e122, _e123, args);
    v35_ = _e124;
    uint _e128 = v18_;
    uint _e129 = v35_;
    uint _e130 = v36_;
    uint _e131 = fma_f32_(_e128, _e129, _e130, args);
    v37_ = _e131;
    uint _e133 = v20_;
    uint _e134 = v37_;
    uint _e135 = mul_f32_(_e133, _e134, args);
    v38_ = _e135;
    uint _e139 = v19_;
    uint _e140 = v39_;
    uint _e141 = v38_;
    uint _e142 = fma_f32_(_e139, _e140, _e141, args);
    v40_ = _e142;
    uint _e144 = v18_;
    uint _e145 = v40_;
    uint _e146 = add_f32_(_e144, _e145, args);
    v41_ = _e146;
    uint _e150 = v19_;
    uint _e151 = v42_;
    uint _e152 = v41_;
    uint _e153 = fma_f32_(_e150, _e151, _e152, args);
    v43_ = _e153;
    uint _e157 = v0_;
    uint _e158 = v44_;
    bool _e159 = below_f32_(_e157, _e158);
    v45_ = _e159;
    uint _e161 = v0_;
    uint _e162 = v43_;
    bool _e163 = v45_;
    v46_ = _e163 ? _e162 : _e161;
    uint _e168 = v0_;
    uint _e169 = order_f32_(_e168);
    uint _e170 = v47_;
    uint _e171 = order_f32_(_e170);
    v48_ = _e169 == _e171;
    uint _e178 = v50_;
    uint _e179 = v49_;
    bool _e180 = v48_;
    v51_ = _e180 ? _e179 : _e178;
    uint _e183 = v0_;
    uint _e184 = v47_;
    bool _e185 = above_f32_(_e183, _e184);
    v52_ = _e185;
    uint _e187 = v51_;
    uint _e188 = v46_;
    bool _e189 = v52_;
    v53_ = _e189 ? _e188 : _e187;
    uint _e192 = v18_;
    uint _e193 = v38_;
    uint _e194 = add_f32_(_e192, _e193, args);
    v54_ = _e194;
    uint _e196 = v54_;
    uint _e197 = v18_;
    uint _e198 = sub_f32_(_e196, _e197, args);
    v55_ = _e198;
    uint _e200 = v38_;
    uint _e201 = v55_;
    uint _e202 = sub_f32_(_e200, _e201, args);
    v56_ = _e202;
    uint _e206 = v54_;
    uint _e207 = v57_;
    uint _e208 = mul_f32_(_e206, _e207, args);
    v58_ = _e208;
    uint _e212 = v56_;
    uint _e213 = v59_;
    uint _e214 = v58_;
    uint _e215 = fma_f32_(_e212, _e213, _e214, args);
    v60_ = _e215;
    uint _e217 = v54_;
    uint _e218 = v59_;
    uint _e219 = v60_;
    uint _e220 = fma_f32_(_e217, _e218, _e219, args);
    v61_ = _e220;
    uint _e222 = v61_;
    uint _e223 = v19_;
    uint _e224 = add_f32_(_e222, _e223, args);
    v62_ = _e224;
    uint _e226 = v0_;
    uint _e227 = v62_;
    bool _e228 = v45_;
    v63_ = _e228 ? _e227 : _e226;
    uint _e231 = v51_;
    uint _e232 = v63_;
    bool _e233 = v52_;
    v64_ = _e233 ? _e232 : _e231;
    uint _e236 = v53_;
    uint _e237 = v64_;
    uint _e238 = add_f32_(_e236, _e237, args);
    v65_ = _e238;
    uint _e242 = v54_;
    uint _e243 = v66_;
    uint _e244 = mul_f32_(_e242, _e243, args);
    v67_ = _e244;
    uint _e248 = v56_;
    uint _e249 = v68_;
    uint _e250 = v67_;
    uint _e251 = fma_f32_(_e248, _e249, _e250, args);
    v69_ = _e251;
    uint _e255 = v19_;
    uint _e256 = v70_;
    uint _e257 = v69_;
    uint _e258 = fma_f32_(_e255, _e256, _e257, args);
    v71_ = _e258;
    uint _e260 = v54_;
    uint _e261 = v68_;
    uint _e262 = v71_;
    uint _e263 = fma_f32_(_e260, _e261, _e262, args);
    v72_ = _e263;
    uint _e267 = v19_;
    uint _e268 = v73_;
    uint _e269 = v72_;
    uint _e270 = fma_f32_(_e267, _e268, _e269, args);
    v74_ = _e270;
    uint _e272 = v0_;
    uint _e273 = v74_;
    bool _e274 = v45_;
    v75_ = _e274 ? _e273 : _e272;
    uint _e277 = v51_;
    uint _e278 = v75_;
    bool _e279 = v52_;
    v76_ = _e279 ? _e278 : _e277;
    uint _e282 = v65_;
    uint _e283 = v76_;
    uint _e284 = add_f32_(_e282, _e283, args);
    v77_ = _e284;
    uint _e286 = v0_;
    uint _e287 = v17_;
    uint _e288 = add_f32_(_e286, _e287, args);
    v78_ = _e288;
    uint _e290 = v0_;
    uint _e291 = v17_;
    uint _e292 = v17_;
    uint _e293 = total_f32_(_e292);
    uint _e294 = v0_;
    uint _e295 = total_f32_(_e294);
    v79_ = (_e293 < _e295) ? _e291 : _e290;
    uint _e299 = v0_;
    uint _e300 = v17_;
    uint _e301 = v17_;
    uint _e302 = total_f32_(_e301);
    uint _e303 = v0_;
    uint _e304 = total_f32_(_e303);
    v80_ = (_e302 > _e304) ? _e300 : _e299;
    uint _e308 = v78_;
    uint _e309 = v80_;
    uint _e310 = sub_f32_(_e308, _e309, args);
    v81_ = _e310;
    uint _e312 = v79_;
    uint _e313 = v81_;
    uint _e314 = sub_f32_(_e312, _e313, args);
    v82_ = _e314;
    uint _e316 = v78_;
    uint _e317 = canonical_f32_(_e316);
    v83_ = as_type<int>(_e317);
    int _e320 = v83_;
    int _e321 = v8_;
    v84_ = as_type<int>(as_type<uint>(_e320) - as_type<uint>(_e321));
    int _e324 = v84_;
    int _e325 = v11_;
    v85_ = _e324 & _e325;
    int _e328 = v85_;
    int _e329 = v8_;
    v86_ = as_type<int>(as_type<uint>(_e328) + as_type<uint>(_e329));
    int _e332 = v86_;
    v87_ = as_type<uint>(_e332);
    int _e335 = v84_;
    int _e336 = v15_;
    v88_ = _e335 >> (as_type<uint>(_e336) & 31u);
    int _e344 = v88_;
    int _e345 = v89_;
    int _e346 = v89_;
    int _e347 = v88_;
    v90_ = (_e346 < _e347) ? _e345 : _e344;
    int _e351 = v89_;
    int _e352 = v90_;
    v91_ = as_type<int>(as_type<uint>(_e351) - as_type<uint>(_e352));
    int _e355 = v91_;
    int _e356 = v15_;
    v92_ = _e355 << (as_type<uint>(_e356) & 31u);
    int _e362 = v92_;
    v93_ = as_type<uint>(_e362);
    uint _e365 = v87_;
    uint _e366 = v17_;
    uint _e367 = sub_f32_(_e365, _e366, args);
    v94_ = _e367;
    int _e369 = v88_;
    v95_ = as_type<uint>(static_cast<float>(_e369));
    uint _e373 = v82_;
    uint _e374 = v93_;
    uint _e375 = mul_f32_(_e373, _e374, args);
    v96_ = _e375;
    uint _e377 = v94_;
    uint _e378 = v94_;
    uint _e379 = mul_f32_(_e377, _e378, args);
    v97_ = _e379;
    uint _e381 = v21_;
    uint _e382 = v94_;
    uint _e383 = v22_;
    uint _e384 = fma_f32_(_e381, _e382, _e383, args);
    v98_ = _e384;
    uint _e386 = v98_;
    uint _e387 = v94_;
    uint _e388 = v24_;
    uint _e389 = fma_f32_(_e386, _e387, _e388, args);
    v99_ = _e389;
    uint _e391 = v99_;
    uint _e392 = v94_;
    uint _e393 = v26_;
    uint _e394 = fma_f32_(_e391, _e392, _e393, args);
    v100_ = _e394;
    uint _e396 = v100_;
    uint _e397 = v94_;
    uint _e398 = v28_;
    uint _e399 = fma_f32_(_e396, _e397, _e398, args);
    v101_ = _e399;
    uint _e401 = v101_;
    uint _e402 = v94_;
    uint _e403 = v30_;
    uint _e404 = fma_f32_(_e401, _e402, _e403, args);
    v102_ = _e404;
    uint _e406 = v102_;
    uint _e407 = v94_;
    uint _e408 = v32_;
    uint _e409 = fma_f32_(_e406, _e407, _e408, args);
    v103_ = _e409;
    uint _e411 = v103_;
    uint _e412 = v94_;
    uint _e413 = v34_;
    uint _e414 = fma_f32_(_e411, _e412, _e413, args);
    v104_ = _e414;
    uint _e416 = v94_;
    uint _e417 = v104_;
    uint _e418 = v36_;
    uint _e419 = fma_f32_(_e416, _e417, _e418, args);
    v105_ = _e419;
    uint _e421 = v97_;
    uint _e422 = v105_;
    uint _e423 = mul_f32_(_e421, _e422, args);
    v106_ = _e423;
    uint _e425 = v96_;
    uint _e426 = neg_f32_(_e425);
    v107_ = _e426;
    uint _e428 = v107_;
    uint _e429 = v94_;
    uint _e430 = v96_;
    uint _e431 = fma_f32_(_e428, _e429, _e430, args);
    v108_ = _e431;
    uint _e433 = v106_;
    uint _e434 = v108_;
    uint _e435 = add_f32_(_e433, _e434, args);
    v109_ = _e435;
    uint _e437 = v95_;
    uint _e438 = v39_;
    uint _e439 = v109_;
    uint _e440 = fma_f32_(_e437, _e438, _e439, args);
    v110_ = _e440;
    uint _e442 = v94_;
    uint _e443 = v110_;
    uint _e444 = add_f32_(_e442, _e443, args);
    v111_ = _e444;
    uint _e446 = v95_;
    uint _e447 = v42_;
    uint _e448 = v111_;
    uint _e449 = fma_f32_(_e446, _e447, _e448, args);
    v112_ = _e449;
    uint _e451 = v78_;
    uint _e452 = v44_;
    bool _e453 = below_f32_(_e451, _e452);
    v113_ = _e453;
    uint _e455 = v78_;
    uint _e456 = v112_;
    bool _e457 = v113_;
    v114_ = _e457 ? _e456 : _e455;
    uint _e460 = v78_;
    uint _e461 = order_f32_(_e460);
    uint _e462 = v47_;
    uint _e463 = order_f32_(_e462);
    v115_ = _e461 == _e463;
    uint _e466 = v50_;
    uint _e467 = v49_;
    bool _e468 = v115_;
    v116_ = _e468 ? _e467 : _e466;
    uint _e471 = v78_;
    uint _e472 = v47_;
    bool _e473 = above_f32_(_e471, _e472);
    v117_ = _e473;
    uint _e475 = v116_;
    uint _e476 = v114_;
    bool _e477 = v117_;
    v118_ = _e477 ? _e476 : _e475;
    uint _e480 = v0_;
    uint _e481 = abs_f32_(_e480);
    v119_ = _e481;
    uint _e485 = v119_;
    uint _e486 = v120_;
    bool _e487 = below_f32_(_e485, _e486);
    v121_ = _e487;
    uint _e489 = v118_;
    uint _e490 = v0_;
    bool _e491 = v121_;
    v122_ = _e491 ? _e490 : _e489;
    uint _e494 = v77_;
    uint _e495 = v122_;
    uint _e496 = add_f32_(_e494, _e495, args);
    v123_ = _e496;
    bool _e499 = bad;
    uint _e500 = v123_;
    uint _e501 = canonical_f32_(_e500);
    return Row {true, _e499, {}, _e501, true};
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
// … 24 more lines with the checksum f1100b9af6bde968
