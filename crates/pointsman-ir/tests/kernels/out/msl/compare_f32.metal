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
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
typedef uint type_6[1];
struct Row {
    bool selected;
    bool bad;
    bool o0_;
    bool q0_;
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

uint order_f32_(
    uint a_2
) {
    uint _e5 = total_f32_((a_2 == 2147483648u) ? 0u : a_2);
    return _e5;
}

int ordered_f32_(
    uint a_3
) {
    return as_type<int>(a_3 & 2147483647u) ^ (as_type<int>(a_3) >> 31u);
}

bool below_f32_(
    uint a_4,
    uint b_2
) {
    int _e8 = ordered_f32_(((b_2 << 1u) == 0u) ? 2147483648u : b_2);
    bool _e10 = is_nan_f32_(b_2);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_4);
    int _e14 = ordered_f32_(a_4);
    return !(_e12) & (_e14 < right);
}

uint abs_f32_(
    uint a_5
) {
    return a_5 & 2147483647u;
}

bool above_f32_(
    uint a_6,
    uint b_3
) {
    int _e8 = ordered_f32_(((b_3 << 1u) == 0u) ? 0u : b_3);
    bool _e10 = is_nan_f32_(b_3);
    int right_1 = _e10 ? 2147483647 : _e8;
    bool _e14 = is_nan_f32_(b_3);
    uint most = _e14 ? 4294967295u : 2139095040u;
    uint _e16 = abs_f32_(a_6);
    int _e18 = ordered_f32_(a_6);
    return (_e16 > most) | (_e18 > right_1);
}

Row row(
    uint r,
    uint c0_,
    bool d0_,
    uint c1_,
    bool d1_
) {
    bool bad = false;
    uint v0_ = {};
    bool n0_1 = {};
    uint v1_ = {};
    bool n1_ = {};
    bool v2_ = {};
    bool local = {};
    bool n2_ = {};
    bool v3_ = {};
    bool n3_ = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool v4_ = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool n4_ = {};
    bool v5_ = {};
    bool local_9 = {};
    bool n5_ = {};
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool v6_ = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    bool local_16 = {};
    bool local_17 = {};
    bool n6_ = {};
    bool v7_ = {};
    bool local_18 = {};
    bool n7_ = {};
    bool local_19 = {};
    bool local_20 = {};
    bool local_21 = {};
    bool v8_ = {};
    bool local_22 = {};
    bool local_23 = {};
    bool local_24 = {};
    bool local_25 = {};
    bool local_26 = {};
    bool n8_ = {};
    bool v9_ = {};
    bool local_27 = {};
    bool n9_ = {};
    bool local_28 = {};
    bool local_29 = {};
    bool local_30 = {};
    bool v10_ = {};
    bool local_31 = {};
    bool local_32 = {};
    bool local_33 = {};
    bool local_34 = {};
    bool local_35 = {};
    bool n10_ = {};
    bool v11_ = {};
    bool local_36 = {};
    bool n11_ = {};
    bool local_37 = {};
    bool local_38 = {};
    bool local_39 = {};
    bool v12_ = {};
    bool local_40 = {};
    bool local_41 = {};
    bool local_42 = {};
    bool local_43 = {};
    bool local_44 = {};
    bool n12_ = {};
    bool v13_ = {};
    bool local_45 = {};
    bool n13_ = {};
    bool local_46 = {};
    bool local_47 = {};
    bool local_48 = {};
    bool v14_ = {};
    bool local_49 = {};
    bool local_50 = {};
    bool local_51 = {};
    bool local_52 = {};
    bool local_53 = {};
    bool n14_ = {};
    v0_ = c0_;
    n0_1 = d0_;
    v1_ = c1_;
    n1_ = d1_;
    uint _e11 = v0_;
    uint _e12 = order_f32_(_e11);
    uint _e13 = v1_;
    uint _e14 = order_f32_(_e13);
    v2_ = _e12 == _e14;
    bool _e17 = n0_1;
    if (_e17) {
        bool _e20 = n1_;
        local = _e20;
    } else {
        local = false;
    }
    bool _e22 = local;
    n2_ = _e22;
    uint _e24 = v0_;
    bool _e25 = is_nan_f32_(_e24);
    v3_ = _e25;
    bool _e27 = n0_1;
    n3_ = _e27;
    bool _e29 = n3_;
    if (_e29) {
        bool _e32 = v3_;
        local_1 = _e32;
    } else {
        local_1 = false;
    }
    bool _e34 = local_1;
    if (!(_e34)) {
        bool _e38 = n2_;
        if (_e38) {
            bool _e41 = v2_;
            local_3 = _e41;
        } else {
            local_3 = false;
        }
        bool _e43 = local_3;
        local_2 = _e43;
    } else {
        local_2 = true;
    }
    bool _e45 = local_2;
    v4_ = _e45;
    bool _e47 = n3_;
    if (_e47) {
        bool _e50 = n2_;
        local_4 = _e50;
    } else {
        local_4 = false;
    }
    bool _e52 = local_4;
    if (!(_e52)) {
        bool _e56 = n3_;
        if (_e56) {
            bool _e59 = v3_;
            local_6 = _e59;
        } else {
            local_6 = false;
        }
        bool _e61 = local_6;
        local_5 = _e61;
    } else {
        local_5 = true;
    }
    bool _e63 = local_5;
    if (!(_e63)) {
        bool _e67 = n2_;
        if (_e67) {
            bool _e70 = v2_;
            local_8 = _e70;
        } else {
            local_8 = false;
        }
        bool _e72 = local_8;
        local_7 = _e72;
    } else {
        local_7 = true;
    }
    bool _e74 = local_7;
    n4_ = _e74;
    uint _e76 = v0_;
    uint _e77 = order_f32_(_e76);
    uint _e78 = v1_;
    uint _e79 = order_f32_(_e78);
    v5_ = _e77 != _e79;
    bool _e82 = n0_1;
    if (_e82) {
        bool _e85 = n1_;
        local_9 = _e85;
    } else {
        local_9 = false;
    }
    bool _e87 = local_9;
    n5_ = _e87;
    bool _e89 = n4_;
    if (_e89) {
        bool _e92 = v4_;
        local_10 = _e92;
    } else {
        local_10 = false;
    }
    bool _e94 = local_10;
    if (!(_e94)) {
        bool _e98 = n5_;
        if (_e98) {
            bool _e101 = v5_;
            local_12 = _e101;
        } else {
            local_12 = false;
        }
        bool _e103 = local_12;
        local_11 = _e103;
    } else {
        local_11 = true;
    }
    bool _e105 = local_11;
    v6_ = _e105;
    bool _e107 = n4_;
    if (_e107) {
        bool _e110 = n5_;
        local_13 = _e110;
    } else {
        local_13 = false;
    }
    bool _e112 = local_13;
    if (!(_e112)) {
        bool _e116 = n4_;
        if (_e116) {
            bool _e119 = v4_;
            local_15 = _e119;
        } else {
            local_15 = false;
        }
        bool _e121 = local_15;
        local_14 = _e121;
    } else {
        local_14 = true;
    }
    bool _e123 = local_14;
    if (!(_e123)) {
        bool _e127 = n5_;
        if (_e127) {
            bool _e130 = v5_;
            local_17 = _e130;
        } else {
            local_17 = false;
        }
        bool _e132 = local_17;
        local_16 = _e132;
    } else {
        local_16 = true;
    }
    bool _e134 = local_16;
    n6_ = _e134;
    uint _e136 = v0_;
    uint _e137 = v1_;
    bool _e138 = below_f32_(_e136, _e137);
    v7_ = _e138;
    bool _e140 = n0_1;
    if (_e140) {
        bool _e143 = n1_;
        local_18 = _e143;
    } else {
        local_18 = false;
    }
    bool _e145 = local_18;
    n7_ = _e145;
    bool _e147 = n6_;
    if (_e147) {
        bool _e150 = v6_;
        local_19 = _e150;
    } else {
        local_19 = false;
    }
    bool _e152 = local_19;
    if (!(_e152)) {
        bool _e156 = n7_;
        if (_e156) {
            bool _e159 = v7_;
            local_21 = _e159;
        } else {
            local_21 = false;
        }
        bool _e161 = local_21;
        local_20 = _e161;
    } else {
        local_20 = true;
    }
    bool _e163 = local_20;
    v8_ = _e163;
    bool _e165 = n6_;
    if (_e165) {
        bool _e168 = n7_;
        local_22 = _e168;
    } else {
        local_22 = false;
    }
    bool _e170 = local_22;
    if (!(_e170)) {
        bool _e174 = n6_;
        if (_e174) {
            bool _e177 = v6_;
            local_24 = _e177;
        } else {
            local_24 = false;
        }
        bool _e179 = local_24;
        local_23 = _e179;
    } else {
        local_23 = true;
    }
    bool _e181 = local_23;
    if (!(_e181)) {
        bool _e185 = n7_;
        if (_e185) {
            bool _e188 = v7_;
            local_26 = _e188;
        } else {
            local_26 = false;
        }
        bool _e190 = local_26;
        local_25 = _e190;
    } else {
        local_25 = true;
    }
    bool _e192 = local_25;
    n8_ = _e192;
    uint _e194 = v0_;
    uint _e195 = v1_;
    bool _e196 = above_f32_(_e194, _e195);
    v9_ = !(_e196);
    bool _e199 = n0_1;
    if (_e199) {
        bool _e202 = n1_;
        local_27 = _e202;
    } else {
        local_27 = false;
    }
    bool _e204 = local_27;
    n9_ = _e204;
    bool _e206 = n8_;
    if (_e206) {
        bool _e209 = v8_;
        local_28 = _e209;
    } else {
        local_28 = false;
    }
    bool _e211 = local_28;
    if (!(_e211)) {
        bool _e215 = n9_;
        if (_e215) {
            bool _e218 = v9_;
            local_30 = _e218;
        } else {
            local_30 = false;
        }
        bool _e220 = local_30;
        local_29 = _e220;
    } else {
        local_29 = true;
    }
    bool _e222 = local_29;
    v10_ = _e222;
    bool _e224 = n8_;
    if (_e224) {
        bool _e227 = n9_;
        local_31 = _e227;
    } else {
        local_31 = false;
    }
    bool _e229 = local_31;
    if (!(_e229)) {
        bool _e233 = n8_;
        if (_e233) {
            bool _e236 = v8_;
            local_33 = _e236;
        } else {
            local_33 = false;
        }
        bool _e238 = local_33;
        local_32 = _e238;
    } else {
        local_32 = true;
    }
    bool _e240 = local_32;
    if (!(_e240)) {
        bool _e244 = n9_;
        if (_e244) {
            bool _e247 = v9_;
            local_35 = _e247;
        } else {
            local_35 = false;
        }
        bool _e249 = local_35;
        local_34 = _e249;
    } else {
        local_34 = true;
    }
    bool _e251 = local_34;
    n10_ = _e251;
    uint _e253 = v0_;
    uint _e254 = v1_;
    bool _e255 = above_f32_(_e253, _e254);
    v11_ = _e255;
    bool _e257 = n0_1;
    if (_e257) {
        bool _e260 = n1_;
        local_36 = _e260;
    } else {
        local_36 = false;
    }
    bool _e262 = local_36;
    n11_ = _e262;
    bool _e264 = n10_;
    if (_e264) {
        bool _e267 = v10_;
        local_37 = _e267;
    } else {
        local_37 = false;
    }
    bool _e269 = local_37;
    if (!(_e269)) {
        bool _e273 = n11_;
        if (_e273) {
            bool _e276 = v11_;
            local_39 = _e276;
        } else {
            local_39 = false;
        }
        bool _e278 = local_39;
        local_38 = _e278;
    } else {
        local_38 = true;
    }
    bool _e280 = local_38;
    v12_ = _e280;
    bool _e282 = n10_;
    if (_e282) {
        bool _e285 = n11_;
        local_40 = _e285;
    } else {
        local_40 = false;
    }
    bool _e287 = local_40;
    if (!(_e287)) {
        bool _e291 = n10_;
        if (_e291) {
            bool _e294 = v10_;
            local_42 = _e294;
        } else {
            local_42 = false;
        }
        bool _e296 = local_42;
        local_41 = _e296;
    } else {
        local_41 = true;
    }
    bool _e298 = local_41;
    if (!(_e298)) {
        bool _e302 = n11_;
        if (_e302) {
            bool _e305 = v11_;
            local_44 = _e305;
        } else {
            local_44 = false;
        }
        bool _e307 = local_44;
        local_43 = _e307;
    } else {
        local_43 = true;
    }
    bool _e309 = local_43;
    n12_ = _e309;
    uint _e311 = v0_;
    uint _e312 = v1_;
    bool _e313 = below_f32_(_e311, _e312);
    v13_ = !(_e313);
    bool _e316 = n0_1;
    if (_e316) {
        bool _e319 = n1_;
        local_45 = _e319;
    } else {
        local_45 = false;
    }
    bool _e321 = local_45;
    n13_ = _e321;
    bool _e323 = n12_;
    if (_e323) {
        bool _e326 = v12_;
        local_46 = _e326;
    } else {
        local_46 = false;
    }
    bool _e328 = local_46;
    if (!(_e328)) {
        bool _e332 = n13_;
        if (_e332) {
            bool _e335 = v13_;
            local_48 = _e335;
        } else {
            local_48 = false;
        }
        bool _e337 = local_48;
        local_47 = _e337;
    } else {
        local_47 = true;
    }
    bool _e339 = local_47;
    v14_ = _e339;
    bool _e341 = n12_;
    if (_e341) {
        bool _e344 = n13_;
        local_49 = _e344;
    } else {
        local_49 = false;
    }
    bool _e346 = local_49;
    if (!(_e346)) {
        bool _e350 = n12_;
        if (_e350) {
            bool _e353 = v12_;
            local_51 = _e353;
        } else {
            local_51 = false;
        }
        bool _e355 = local_51;
        local_50 = _e355;
    } else {
        local_50 = true;
    }
    bool _e357 = local_50;
    if (!(_e357)) {
        bool _e361 = n13_;
        if (_e361) {
            bool _e364 = v13_;
            local_53 = _e364;
        } else {
            local_53 = false;
        }
        bool _e366 = local_53;
        local_52 = _e366;
    } else {
        local_52 = true;
    }
    bool _e368 = local_52;
    n14_ = _e368;
    bool _e371 = bad;
    bool _e373 = v14_;
    bool _e374 = n14_;
    bool _e376 = n14_;
    return Row {true, _e371, _e374 ? _e373 : false, _e376};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_6 const& inv0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_6 const& inv1_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_6& outv0_ [[user(fake0)]]
, threadgroup type_9& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint m0_ = 0u;
    uint n0_ = 0u;
    uint step = 0u;
    uint bits = 0u;
    uint b = 0u;
    uint bits_1 = 0u;
    uint b_1 = 0u;
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
            uint _e980 = step;
            step = _e980 + 4u;
        }
        loop_init = false;
        uint _e25 = step;
        if (_e25 < 8u) {
        } else {
            break;
        }
        {
            uint _e28 = step;
            uint base = (start + ((_e28 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e50 = inv0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e57 = args.inner[4].x;
            uint valid0_0_ = ((_e57 & 1u) != 0u) ? (_e50 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e73 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e80 = args.inner[4].y;
            uint valid1_0_ = ((_e80 & 1u) != 0u) ? (_e73 >> (first_0_ & 31u)) : 15u;
            uint _e86 = step;
            uint base_1 = (start + ((_e86 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e108 = inv0_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e115 = args.inner[4].x;
            uint valid0_1_ = ((_e115 & 1u) != 0u) ? (_e108 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e131 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e138 = args.inner[4].y;
            uint valid1_1_ = ((_e138 & 1u) != 0u) ? (_e131 >> (first_1_ & 31u)) : 15u;
            uint _e144 = step;
            uint base_2 = (start + ((_e144 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            metal::uint4 quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e166 = inv0_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e173 = args.inner[4].x;
            uint valid0_2_ = ((_e173 & 1u) != 0u) ? (_e166 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e189 = inv1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e196 = args.inner[4].y;
            uint valid1_2_ = ((_e196 & 1u) != 0u) ? (_e189 >> (first_2_ & 31u)) : 15u;
            uint _e202 = step;
            uint base_3 = (start + ((_e202 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            metal::uint4 quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e224 = inv0_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e231 = args.inner[4].x;
            uint valid0_3_ = ((_e231 & 1u) != 0u) ? (_e224 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e247 = inv1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e254 = args.inner[4].y;
            uint valid1_3_ = ((_e254 & 1u) != 0u) ? (_e247 >> (first_3_ & 31u)) : 15u;
            {
                uint _e260 = step;
                uint k = _e260 + 0u;
                {
                    Row _e279 = row(base + 0u, quad0_0_.x, ((valid0_0_ >> 0u) & 1u) != 0u, quad1_0_.x, ((valid1_0_ >> 0u) & 1u) != 0u);
// … 207 more lines with the checksum 61dbb8a9a7c897cb
