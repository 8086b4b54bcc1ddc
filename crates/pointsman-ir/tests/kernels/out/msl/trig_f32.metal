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
typedef uint type_5[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    uint x0_;
    bool y0_;
    char _pad4[3];
};
struct Node {
    uint f0_;
    uint count;
};
struct type_12 {
    uint inner[256];
};
struct type_13 {
    uint inner[16];
};
struct type_14 {
    uint inner[128];
};
struct type_17 {
    Node inner[256];
};

float single(
    uint a,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a ^ _e4);
}

float second_single(
    uint a_1,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_1 ^ _e4);
}

float third_single(
    uint a_2,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_2 ^ _e4);
}

uint fma_f32_(
    uint a_3,
    uint b,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_3, args);
    float _e4 = second_single(b, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

uint sub_f32_(
    uint a_4,
    uint b_1,
    constant type_2& args
) {
    float _e2 = single(a_4, args);
    float _e3 = second_single(b_1, args);
    return as_type<uint>(_e2 - _e3);
}

uint abs_f32_(
    uint a_5
) {
    return a_5 & 2147483647u;
}

int ordered_f32_(
    uint a_6
) {
    return as_type<int>(a_6 & 2147483647u) ^ (as_type<int>(a_6) >> 31u);
}

bool is_nan_f32_(
    uint a_7
) {
    return (a_7 & 2147483647u) > 2139095040u;
}

bool above_f32_(
    uint a_8,
    uint b_2
) {
    int _e8 = ordered_f32_(((b_2 << 1u) == 0u) ? 0u : b_2);
    bool _e10 = is_nan_f32_(b_2);
    int right = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_2);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_8);
    int _e18 = ordered_f32_(a_8);
    return (_e16 > most) | (_e18 > right);
}

uint canonical_f32_(
    uint a_9
) {
    bool _e2 = is_nan_f32_(a_9);
    return _e2 ? 2143289344u : a_9;
}

long wide_i32_(
    int v
) {
    return as_type<long>(static_cast<ulong>(as_type<uint>(v)) | (static_cast<ulong>(as_type<uint>(v >> 31u)) << 32u));
}

long nearest_i32_i64_(
    int v_1,
    thread bool& f
) {
    long _e2 = wide_i32_(v_1);
    return _e2;
}

uint trunc_f32_(
    uint a_10
) {
    uint e = (a_10 >> 23u) & 255u;
    if (e >= 150u) {
        return a_10;
    }
    if (e < 127u) {
        return a_10 & 2147483648u;
    }
    return a_10 & ~((8388607u >> (e - 127u)));
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

int naga_neg(int val) {
    return as_type<int>(-as_type<uint>(val));
}

ulong long_of_f32_(
    uint a_13
) {
    int e_1 = as_type<int>(as_type<uint>(static_cast<int>((a_13 >> 23u) & 255u)) - as_type<uint>(150));
    ulong m = static_cast<ulong>((a_13 & 8388607u) | 8388608u);
    if (e_1 >= 0) {
        return m << static_cast<uint>(metal::min(e_1, 63));
    }
    return (e_1 < -63) ? 0uL : (m >> static_cast<uint>(naga_neg(metal::max(e_1, -63))));
}

bool is_negative_f32_(
    uint a_14
) {
    return (a_14 >> 31u) != 0u;
}

long nearest_f32_i64_(
    uint v_2,
    thread bool& f_1
) {
    uint _e2 = trunc_f32_(v_2);
    bool _e3 = is_nan_f32_(_e2);
    if (_e3) {
        return 0L;
    }
    uint _e5 = order_f32_(_e2);
    uint _e7 = order_f32_(3741319168u);
    if (_e5 < _e7) {
        return as_type<long>(as_type<ulong>(-9223372036854775807L) - as_type<ulong>(1L));
    }
    uint _e12 = order_f32_(_e2);
    uint _e14 = order_f32_(1593835520u);
    if (_e12 >= _e14) {
        return 9223372036854775807L;
    }
    ulong _e17 = long_of_f32_(_e2);
    ulong _e20 = long_of_f32_(_e2);
    bool _e23 = is_negative_f32_(_e2);
    return _e23 ? as_type<long>(as_type<ulong>(0L) - as_type<ulong>(as_type<long>(_e20))) : as_type<long>(_e17);
}

uint mul_f32_(
    uint a_15,
    uint b_3,
    constant type_2& args
) {
    float _e2 = single(a_15, args);
    float _e3 = second_single(b_3, args);
    return as_type<uint>(_e2 * _e3);
}

uint add_f32_(
    uint a_16,
    uint b_4,
    constant type_2& args
) {
    float _e2 = single(a_16, args);
    float _e3 = second_single(b_4, args);
    return as_type<uint>(_e2 + _e3);
}

int nearest_i64_i32_(
    long v_3,
    thread bool& f_2
) {
    if (v_3 < -2147483648L) {
        return (-2147483647 - 1);
    }
    if (v_3 > 2147483647L) {
        return 2147483647;
    }
    return static_cast<int>(v_3);
}

bool below_f32_(
    uint a_17,
    uint b_5
) {
    int _e8 = ordered_f32_(((b_5 << 1u) == 0u) ? 2147483648u : b_5);
    bool _e10 = is_nan_f32_(b_5);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_17);
    int _e14 = ordered_f32_(a_17);
    return !(_e12) & (_e14 < right_1);
}

uint neg_f32_(
    uint a_18
) {
    return a_18 ^ 2147483648u;
}

uint div_f32_(
    uint a_19,
    uint b_6,
    constant type_2& args
) {
    float _e2 = single(a_19, args);
    float _e3 = second_single(b_6, args);
    return as_type<uint>(_e2 / _e3);
}

Row row(
    uint r,
    uint c0_,
    constant type_2& args
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = 1059256707u;
    uint v2_ = 1262485504u;
    uint v3_ = {};
    uint v4_ = {};
    uint v5_ = 3217625051u;
    uint v6_ = {};
    uint v7_ = 859553070u;
    uint v8_ = {};
    uint v9_ = 653733101u;
    uint v10_ = {};
    uint v11_ = {};
    uint v12_ = 1199570944u;
    bool v13_ = {};
    int v14_ = {};
    uint s15_0_ = {};
    bool t15_0_ = true;
    int s15_1_ = {};
    bool t15_1_ = true;
    uint k15_ = 0u;
    int v16_ = {};
    long v17_ = {};
    long v18_ = {};
    long v19_ = {};
    long v20_ = {};
    long v21_ = {};
    long v22_ = {};
    long v23_ = {};
    long v24_ = {};
    long v25_ = {};
    long v26_ = {};
    long v27_ = {};
    long v28_ = {};
    long v29_ = {};
    long v30_ = {};
    long v31_ = {};
    long v32_ = {};
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
    bool v43_ = {};
    long v44_ = {};
    long v45_ = {};
    long v46_ = {};
    long v47_ = {};
    long v48_ = {};
    long v49_ = {};
    long v50_ = {};
    long v51_ = {};
    long v52_ = {};
    bool v53_ = {};
    long v54_ = {};
    long v55_ = {};
    long v56_ = {};
    long v57_ = {};
    long v58_ = {};
    long v59_ = {};
    long v60_ = {};
    bool v61_ = {};
    long v62_ = {};
    long v63_ = {};
    long v64_ = {};
    long v65_ = {};
    long v66_ = {};
    long v67_ = {};
    long v68_ = {};
    long v69_ = {};
    long v70_ = {};
    long v71_ = {};
    long v72_ = {};
    long v73_ = {};
    long v74_ = {};
    long v75_ = {};
    long v76_ = {};
    long v77_ = {};
    long v78_ = {};
    long v79_ = {};
    long v80_ = {};
    long v81_ = {};
    long v82_ = {};
    long v83_ = {};
    long v84_ = {};
    long v85_ = {};
    long v86_ = {};
    long v87_ = {};
    long v88_ = {};
    long v89_ = {};
    long v90_ = {};
    long v91_ = {};
    long v92_ = {};
    uint v93_ = {};
    long v94_ = {};
    long v95_ = {};
    uint v96_ = {};
    uint v97_ = {};
    uint v98_ = {};
    uint v99_ = {};
    uint v100_ = {};
    uint v101_ = {};
    uint v102_ = {};
    uint v103_ = {};
    uint v104_ = {};
    int v105_ = {};
    bool v106_ = {};
    uint v107_ = {};
    uint v108_ = {};
    int v109_ = {};
    int v110_ = {};
    uint x15_0_ = {};
    bool y15_0_ = {};
    int x15_1_ = {};
    bool y15_1_ = {};
    uint v111_ = {};
    int v112_ = {};
    uint v113_ = 0u;
    bool v114_ = {};
    uint v115_ = {};
    uint v116_ = {};
    uint v117_ = 3108802661u;
    uint v118_ = 1007190890u;
    uint v119_ = {};
    uint v120_ = 3190467234u;
    uint v121_ = {};
    uint v122_ = {};
    uint v123_ = {};
    uint v124_ = 936175068u;
    uint v125_ = 3132491235u;
    uint v126_ = {};
    uint v127_ = 1026206373u;
    uint v128_ = {};
    uint v129_ = 3204448256u;
    uint v130_ = 1065353216u;
    uint v131_ = {};
    uint v132_ = {};
    int v133_ = 1;
    int v134_ = {};
    int v135_ = 0;
    bool v136_ = {};
    uint v137_ = {};
    int v138_ = 30;
    int v139_ = {};
    int v140_ = (-2147483647 - 1);
    int v141_ = {};
    int v142_ = {};
    int v143_ = {};
    uint v144_ = {};
    uint v145_ = {};
    uint s146_0_ = {};
    bool t146_0_ = true;
    int s146_1_ = {};
    bool t146_1_ = true;
    uint k146_ = 0u;
    int v147_ = {};
    long v148_ = {};
    long v149_ = {};
    long v150_ = {};
    long v151_ = {};
    long v152_ = {};
    long v153_ = {};
    long v154_ = {};
    long v155_ = {};
    long v156_ = {};
    long v157_ = {};
    long v158_ = {};
    long v159_ = {};
    long v160_ = {};
    long v161_ = {};
    long v162_ = {};
    long v163_ = {};
    long v164_ = {};
    long v165_ = {};
    long v166_ = {};
    long v167_ = {};
    long v168_ = {};
    long v169_ = {};
    long v170_ = {};
    long v171_ = {};
    long v172_ = {};
    long v173_ = {};
    bool v174_ = {};
    long v175_ = {};
    long v176_ = {};
    long v177_ = {};
    long v178_ = {};
    long v179_ = {};
    long v180_ = {};
    long v181_ = {};
    long v182_ = {};
    long v183_ = {};
    bool v184_ = {};
    long v185_ = {};
    long v186_ = {};
    long v187_ = {};
    long v188_ = {};
    long v189_ = {};
    long v190_ = {};
    long v191_ = {};
    bool v192_ = {};
    long v193_ = {};
    long v194_ = {};
    long v195_ = {};
    long v196_ = {};
    long v197_ = {};
    long v198_ = {};
    long v199_ = {};
    long v200_ = {};
    long v201_ = {};
    long v202_ = {};
    long v203_ = {};
    long v204_ = {};
    long v205_ = {};
    long v206_ = {};
    long v207_ = {};
    long v208_ = {};
    long v209_ = {};
    long v210_ = {};
    long v211_ = {};
    long v212_ = {};
    long v213_ = {};
    long v214_ = {};
    long v215_ = {};
    long v216_ = {};
    long v217_ = {};
    long v218_ = {};
    long v219_ = {};
    long v220_ = {};
    long v221_ = {};
    long v222_ = {};
    long v223_ = {};
    uint v224_ = {};
    long v225_ = {};
    long v226_ = {};
    uint v227_ = {};
    uint v228_ = {};
    uint v229_ = {};
    uint v230_ = {};
    uint v231_ = {};
    uint v232_ = {};
    uint v233_ = {};
    uint v234_ = {};
    int v235_ = {};
    bool v236_ = {};
    uint v237_ = {};
    uint v238_ = {};
    int v239_ = {};
    int v240_ = {};
    uint x146_0_ = {};
    bool y146_0_ = {};
    int x146_1_ = {};
    bool y146_1_ = {};
    uint v241_ = {};
    int v242_ = {};
    int v243_ = {};
    uint v244_ = {};
    uint v245_ = {};
    uint v246_ = {};
    uint v247_ = {};
    uint v248_ = {};
    uint v249_ = {};
    uint v250_ = {};
    uint v251_ = {};
    uint v252_ = {};
    uint v253_ = {};
    int v254_ = {};
    bool v255_ = {};
    uint v256_ = {};
    int v257_ = {};
    int v258_ = {};
    int v259_ = {};
    int v260_ = {};
    uint v261_ = {};
    uint v262_ = {};
    uint s263_0_ = {};
    bool t263_0_ = true;
    int s263_1_ = {};
    bool t263_1_ = true;
    uint k263_ = 0u;
    int v264_ = {};
    long v265_ = {};
    long v266_ = {};
    long v267_ = {};
    long v268_ = {};
    long v269_ = {};
    long v270_ = {};
    long v271_ = {};
    long v272_ = {};
    long v273_ = {};
    long v274_ = {};
    long v275_ = {};
    long v276_ = {};
    long v277_ = {};
    long v278_ = {};
    long v279_ = {};
    long v280_ = {};
    long v281_ = {};
    long v282_ = {};
    long v283_ = {};
    long v284_ = {};
    long v285_ = {};
    long v286_ = {};
    long v287_ = {};
    long v288_ = {};
    long v289_ = {};
    long v290_ = {};
    bool v291_ = {};
    long v292_ = {};
    long v293_ = {};
    long v294_ = {};
    long v295_ = {};
    long v296_ = {};
    long v297_ = {};
    long v298_ = {};
    long v299_ = {};
    long v300_ = {};
    bool v301_ = {};
    long v302_ = {};
    long v303_ = {};
    long v304_ = {};
    long v305_ = {};
    long v306_ = {};
    long v307_ = {};
    long v308_ = {};
    bool v309_ = {};
    long v310_ = {};
    long v311_ = {};
    long v312_ = {};
    long v313_ = {};
    long v314_ = {};
    long v315_ = {};
    long v316_ = {};
    long v317_ = {};
    long v318_ = {};
    long v319_ = {};
    long v320_ = {};
    long v321_ = {};
    long v322_ = {};
    long v323_ = {};
    long v324_ = {};
    long v325_ = {};
    long v326_ = {};
    long v327_ = {};
    long v328_ = {};
    long v329_ = {};
    long v330_ = {};
    long v331_ = {};
    long v332_ = {};
    long v333_ = {};
    long v334_ = {};
    long v335_ = {};
    long v336_ = {};
    long v337_ = {};
    long v338_ = {};
    long v339_ = {};
    long v340_ = {};
    uint v341_ = {};
    long v342_ = {};
    long v343_ = {};
    uint v344_ = {};
    uint v345_ = {};
    uint v346_ = {};
    uint v347_ = {};
    uint v348_ = {};
    uint v349_ = {};
    uint v350_ = {};
    uint v351_ = {};
    int v352_ = {};
    bool v353_ = {};
    uint v354_ = {};
    uint v355_ = {};
    int v356_ = {};
    int v357_ = {};
    uint x263_0_ = {};
    bool y263_0_ = {};
    int x263_1_ = {};
    bool y263_1_ = {};
    uint v358_ = {};
    int v359_ = {};
    uint v360_ = {};
    uint v361_ = 1056964608u;
    uint v362_ = {};
    uint v363_ = {};
    uint v364_ = {};
    uint v365_ = {};
    uint v366_ = {};
    uint v367_ = {};
    uint v368_ = {};
    uint v369_ = {};
    uint v370_ = {};
    uint v371_ = {};
    uint v372_ = {};
    uint v373_ = {};
    uint v374_ = {};
    int v375_ = {};
    bool v376_ = {};
    uint v377_ = {};
    uint v378_ = {};
    uint v379_ = {};
    uint v380_ = {};
    uint v381_ = {};
    uint v382_ = {};
    v0_ = c0_;
    uint _e9 = v0_;
    uint _e10 = v1_;
    uint _e11 = v2_;
    uint _e12 = fma_f32_(_e9, _e10, _e11, args);
    v3_ = _e12;
    uint _e14 = v3_;
    uint _e15 = v2_;
    uint _e16 = sub_f32_(_e14, _e15, args);
    v4_ = _e16;
    uint _e20 = v4_;
    uint _e21 = v5_;
    uint _e22 = v0_;
    uint _e23 = fma_f32_(_e20, _e21, _e22, args);
    v6_ = _e23;
    uint _e27 = v4_;
    uint _e28 = v7_;
    uint _e29 = v6_;
    uint _e30 = fma_f32_(_e27, _e28, _e29, args);
    v8_ = _e30;
    uint _e34 = v4_;
    uint _e35 = v9_;
    uint _e36 = v8_;
    uint _e37 = fma_f32_(_e34, _e35, _e36, args);
    v10_ = _e37;
    uint _e39 = v0_;
    uint _e40 = abs_f32_(_e39);
    v11_ = _e40;
    uint _e44 = v11_;
    uint _e45 = v12_;
    bool _e46 = above_f32_(_e44, _e45);
    v13_ = _e46;
    uint _e48 = v3_;
    uint _e49 = canonical_f32_(_e48);
    v14_ = as_type<int>(_e49);
    uint _e52 = v10_;
    s15_0_ = _e52;
    int _e56 = v14_;
    s15_1_ = _e56;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e458 = k15_;
            k15_ = _e458 + 1u;
        }
        loop_init = false;
        uint _e62 = k15_;
        if (_e62 < 1u) {
        } else {
            break;
        }
        {
            bool _e65 = v13_;
            if (!(_e65)) {
                break;
            }
            uint _e67 = v11_;
            uint _e68 = canonical_f32_(_e67);
            v16_ = as_type<int>(_e68);
            int _e71 = v16_;
            long _e72 = nearest_i32_i64_(_e71, bad);
            v17_ = _e72;
            v18_ = 8388607L;
            long _e76 = v17_;
            long _e77 = v18_;
            v19_ = _e76 & _e77;
            v20_ = 8388608L;
            long _e82 = v19_;
            long _e83 = v20_;
            v21_ = _e82 | _e83;
            v22_ = 23L;
            long _e88 = v17_;
            long _e89 = v22_;
            v23_ = _e88 >> static_cast<uint>(_e89 & 63L);
            v24_ = 120L;
            long _e97 = v23_;
            long _e98 = v24_;
            v25_ = as_type<long>(as_type<ulong>(_e97) - as_type<ulong>(_e98));
            v26_ = 5L;
            long _e103 = v25_;
            long _e104 = v26_;
            v27_ = _e103 >> static_cast<uint>(_e104 & 63L);
            v28_ = 31L;
            long _e112 = v25_;
            long _e113 = v28_;
            v29_ = _e112 & _e113;
            v30_ = 0L;
            v31_ = 2734261102L;
            v32_ = 1313084713L;
            v33_ = 4230436817L;
            v34_ = 4113882560L;
            v35_ = 3680671129L;
            v36_ = 1011060801L;
            v37_ = 4266746795L;
            v38_ = 3736847713L;
            v39_ = 3072618042L;
            v40_ = 1112396512L;
            v41_ = 4L;
            long _e140 = v27_;
            long _e141 = v41_;
            v42_ = _e140 & _e141;
            long _e144 = v42_;
            long _e145 = v30_;
            v43_ = _e144 != _e145;
            long _e148 = v30_;
            long _e149 = v34_;
            bool _e150 = v43_;
            v44_ = _e150 ? _e149 : _e148;
            long _e153 = v31_;
            long _e154 = v35_;
            bool _e155 = v43_;
            v45_ = _e155 ? _e154 : _e153;
            long _e158 = v32_;
            long _e159 = v36_;
            bool _e160 = v43_;
            v46_ = _e160 ? _e159 : _e158;
            long _e163 = v33_;
            long _e164 = v37_;
            bool _e165 = v43_;
            v47_ = _e165 ? _e164 : _e163;
            long _e168 = v34_;
            long _e169 = v38_;
            bool _e170 = v43_;
            v48_ = _e170 ? _e169 : _e168;
            long _e173 = v35_;
            long _e174 = v39_;
            bool _e175 = v43_;
            v49_ = _e175 ? _e174 : _e173;
            long _e178 = v36_;
            long _e179 = v40_;
            bool _e180 = v43_;
            v50_ = _e180 ? _e179 : _e178;
            v51_ = 2L;
            long _e185 = v27_;
            long _e186 = v51_;
            v52_ = _e185 & _e186;
            long _e189 = v52_;
            long _e190 = v30_;
            v53_ = _e189 != _e190;
            long _e193 = v44_;
            long _e194 = v46_;
            bool _e195 = v53_;
            v54_ = _e195 ? _e194 : _e193;
            long _e198 = v45_;
            long _e199 = v47_;
// … 2126 more lines with the checksum bdd22bd32184a0d2
