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
};

struct type_2 {
    metal::uint4 inner[6];
};
typedef metal::atomic_uint type_4[1];
typedef ulong type_6[1];
typedef uint type_7[1];
typedef metal::uint4 type_8[1];
struct Row {
    bool selected;
    bool bad;
    bool o0_;
    bool q0_;
};
struct type_12 {
    uint inner[128];
};

Row row(
    uint r,
    long c0_,
    long c1_,
    bool c2_,
    bool c3_,
    int c4_,
    bool d4_,
    int c5_,
    bool d5_
) {
    bool bad = false;
    long v0_ = {};
    long v1_ = {};
    bool v2_ = {};
    bool v3_ = {};
    int v4_ = {};
    bool n4_ = {};
    int v5_ = {};
    bool n5_ = {};
    bool v6_ = {};
    bool v7_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool v8_ = {};
    bool v9_ = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool v10_ = {};
    bool v11_ = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool v12_ = {};
    bool v13_ = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    bool v14_ = {};
    bool v15_ = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool v16_ = {};
    bool v17_ = {};
    bool local_15 = {};
    bool local_16 = {};
    bool local_17 = {};
    bool v18_ = {};
    bool v19_ = {};
    bool local_18 = {};
    bool local_19 = {};
    bool local_20 = {};
    bool v20_ = {};
    bool v21_ = {};
    bool local_21 = {};
    bool n21_ = {};
    bool local_22 = {};
    bool local_23 = {};
    bool local_24 = {};
    bool v22_ = {};
    bool local_25 = {};
    bool local_26 = {};
    bool local_27 = {};
    bool local_28 = {};
    bool local_29 = {};
    bool n22_ = {};
    bool v23_ = {};
    bool local_30 = {};
    bool n23_ = {};
    bool local_31 = {};
    bool local_32 = {};
    bool local_33 = {};
    bool v24_ = {};
    bool local_34 = {};
    bool local_35 = {};
    bool local_36 = {};
    bool local_37 = {};
    bool local_38 = {};
    bool n24_ = {};
    v0_ = c0_;
    v1_ = c1_;
    v2_ = c2_;
    v3_ = c3_;
    v4_ = c4_;
    n4_ = d4_;
    v5_ = c5_;
    n5_ = d5_;
    long _e19 = v0_;
    long _e20 = v1_;
    v6_ = _e19 == _e20;
    long _e23 = v0_;
    long _e24 = v1_;
    v7_ = _e23 != _e24;
    if (true) {
        bool _e30 = v6_;
        local = _e30;
    } else {
        local = false;
    }
    bool _e32 = local;
    if (!(_e32)) {
        if (true) {
            bool _e39 = v7_;
            local_2 = _e39;
        } else {
            local_2 = false;
        }
        bool _e41 = local_2;
        local_1 = _e41;
    } else {
        local_1 = true;
    }
    bool _e43 = local_1;
    v8_ = _e43;
    long _e45 = v0_;
    long _e46 = v1_;
    v9_ = _e45 < _e46;
    if (true) {
        bool _e52 = v8_;
        local_3 = _e52;
    } else {
        local_3 = false;
    }
    bool _e54 = local_3;
    if (!(_e54)) {
        if (true) {
            bool _e61 = v9_;
            local_5 = _e61;
        } else {
            local_5 = false;
        }
        bool _e63 = local_5;
        local_4 = _e63;
    } else {
        local_4 = true;
    }
    bool _e65 = local_4;
    v10_ = _e65;
    long _e67 = v0_;
    long _e68 = v1_;
    v11_ = _e67 <= _e68;
    if (true) {
        bool _e74 = v10_;
        local_6 = _e74;
    } else {
        local_6 = false;
    }
    bool _e76 = local_6;
    if (!(_e76)) {
        if (true) {
            bool _e83 = v11_;
            local_8 = _e83;
        } else {
            local_8 = false;
        }
        bool _e85 = local_8;
        local_7 = _e85;
    } else {
        local_7 = true;
    }
    bool _e87 = local_7;
    v12_ = _e87;
    long _e89 = v0_;
    long _e90 = v1_;
    v13_ = _e89 > _e90;
    if (true) {
        bool _e96 = v12_;
        local_9 = _e96;
    } else {
        local_9 = false;
    }
    bool _e98 = local_9;
    if (!(_e98)) {
        if (true) {
            bool _e105 = v13_;
            local_11 = _e105;
        } else {
            local_11 = false;
        }
        bool _e107 = local_11;
        local_10 = _e107;
    } else {
        local_10 = true;
    }
    bool _e109 = local_10;
    v14_ = _e109;
    long _e111 = v0_;
    long _e112 = v1_;
    v15_ = _e111 >= _e112;
    if (true) {
        bool _e118 = v14_;
        local_12 = _e118;
    } else {
        local_12 = false;
    }
    bool _e120 = local_12;
    if (!(_e120)) {
        if (true) {
            bool _e127 = v15_;
            local_14 = _e127;
        } else {
            local_14 = false;
        }
        bool _e129 = local_14;
        local_13 = _e129;
    } else {
        local_13 = true;
    }
    bool _e131 = local_13;
    v16_ = _e131;
    bool _e133 = v2_;
    bool _e135 = v3_;
    v17_ = static_cast<uint>(_e133) == static_cast<uint>(_e135);
    if (true) {
        bool _e142 = v16_;
        local_15 = _e142;
    } else {
        local_15 = false;
    }
    bool _e144 = local_15;
    if (!(_e144)) {
        if (true) {
            bool _e151 = v17_;
            local_17 = _e151;
        } else {
            local_17 = false;
        }
        bool _e153 = local_17;
        local_16 = _e153;
    } else {
        local_16 = true;
    }
    bool _e155 = local_16;
    v18_ = _e155;
    bool _e157 = v2_;
    bool _e159 = v3_;
    v19_ = static_cast<uint>(_e157) < static_cast<uint>(_e159);
    if (true) {
        bool _e166 = v18_;
        local_18 = _e166;
    } else {
        local_18 = false;
    }
    bool _e168 = local_18;
    if (!(_e168)) {
        if (true) {
            bool _e175 = v19_;
            local_20 = _e175;
        } else {
            local_20 = false;
        }
        bool _e177 = local_20;
        local_19 = _e177;
    } else {
        local_19 = true;
    }
    bool _e179 = local_19;
    v20_ = _e179;
    int _e181 = v4_;
    int _e182 = v5_;
    v21_ = _e181 == _e182;
    bool _e185 = n4_;
    if (_e185) {
        bool _e188 = n5_;
        local_21 = _e188;
    } else {
        local_21 = false;
    }
    bool _e190 = local_21;
    n21_ = _e190;
    if (true) {
        bool _e195 = v20_;
        local_22 = _e195;
    } else {
        local_22 = false;
    }
    bool _e197 = local_22;
    if (!(_e197)) {
        bool _e201 = n21_;
        if (_e201) {
            bool _e204 = v21_;
            local_24 = _e204;
        } else {
            local_24 = false;
        }
        bool _e206 = local_24;
        local_23 = _e206;
    } else {
        local_23 = true;
    }
    bool _e208 = local_23;
    v22_ = _e208;
    if (true) {
        bool _e213 = n21_;
        local_25 = _e213;
    } else {
        local_25 = false;
    }
    bool _e215 = local_25;
    if (!(_e215)) {
        if (true) {
            bool _e222 = v20_;
            local_27 = _e222;
        } else {
            local_27 = false;
        }
        bool _e224 = local_27;
        local_26 = _e224;
    } else {
        local_26 = true;
    }
    bool _e226 = local_26;
    if (!(_e226)) {
        bool _e230 = n21_;
        if (_e230) {
            bool _e233 = v21_;
            local_29 = _e233;
        } else {
            local_29 = false;
        }
        bool _e235 = local_29;
        local_28 = _e235;
    } else {
        local_28 = true;
    }
    bool _e237 = local_28;
    n22_ = _e237;
    int _e239 = v4_;
    int _e240 = v5_;
    v23_ = _e239 < _e240;
    bool _e243 = n4_;
    if (_e243) {
        bool _e246 = n5_;
        local_30 = _e246;
    } else {
        local_30 = false;
    }
    bool _e248 = local_30;
    n23_ = _e248;
    bool _e250 = n22_;
    if (_e250) {
        bool _e253 = v22_;
        local_31 = _e253;
    } else {
        local_31 = false;
    }
    bool _e255 = local_31;
    if (!(_e255)) {
        bool _e259 = n23_;
        if (_e259) {
            bool _e262 = v23_;
            local_33 = _e262;
        } else {
            local_33 = false;
        }
        bool _e264 = local_33;
        local_32 = _e264;
    } else {
        local_32 = true;
    }
    bool _e266 = local_32;
    v24_ = _e266;
    bool _e268 = n22_;
    if (_e268) {
        bool _e271 = n23_;
        local_34 = _e271;
    } else {
        local_34 = false;
    }
    bool _e273 = local_34;
    if (!(_e273)) {
        bool _e277 = n22_;
        if (_e277) {
            bool _e280 = v22_;
            local_36 = _e280;
        } else {
            local_36 = false;
        }
        bool _e282 = local_36;
        local_35 = _e282;
    } else {
        local_35 = true;
    }
    bool _e284 = local_35;
    if (!(_e284)) {
        bool _e288 = n23_;
        if (_e288) {
            bool _e291 = v23_;
            local_38 = _e291;
        } else {
            local_38 = false;
        }
        bool _e293 = local_38;
        local_37 = _e293;
    } else {
        local_37 = true;
    }
    bool _e295 = local_37;
    n24_ = _e295;
    bool _e298 = bad;
    bool _e300 = v24_;
    bool _e301 = n24_;
    bool _e303 = n24_;
    return Row {true, _e298, _e301 ? _e300 : false, _e303};
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
, device type_7 const& in3_ [[user(fake0)]]
, device type_8 const& in4_ [[user(fake0)]]
, device type_7 const& inv4_ [[user(fake0)]]
, device type_8 const& in5_ [[user(fake0)]]
, device type_7 const& inv5_ [[user(fake0)]]
, device type_7& out0_ [[user(fake0)]]
, device type_7& outv0_ [[user(fake0)]]
, threadgroup type_12& shared_bits
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
            uint _e760 = step;
            step = _e760 + 2u;
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
            uint _e44 = in2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad2_0_ = _e44 >> (first_0_ & 31u);
            uint _e52 = in3_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad3_0_ = _e52 >> (first_0_ & 31u);
            metal::uint4 quad4_0_ = in4_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e66 = inv4_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size7 - 0 - 4) / 4)];
            uint _e73 = args.inner[5].x;
            uint valid4_0_ = ((_e73 & 1u) != 0u) ? (_e66 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad5_0_ = in5_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size8 - 0 - 16) / 16)];
            uint _e89 = inv5_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size9 - 0 - 4) / 4)];
            uint _e96 = args.inner[5].y;
            uint valid5_0_ = ((_e96 & 1u) != 0u) ? (_e89 >> (first_0_ & 31u)) : 15u;
            uint _e102 = step;
            uint base_1 = (start + ((_e102 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint _e118 = in2_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad2_1_ = _e118 >> (first_1_ & 31u);
            uint _e126 = in3_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad3_1_ = _e126 >> (first_1_ & 31u);
            metal::uint4 quad4_1_ = in4_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size6 - 0 - 16) / 16)];
            uint _e140 = inv4_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size7 - 0 - 4) / 4)];
            uint _e147 = args.inner[5].x;
            uint valid4_1_ = ((_e147 & 1u) != 0u) ? (_e140 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad5_1_ = in5_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size8 - 0 - 16) / 16)];
            uint _e163 = inv5_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size9 - 0 - 4) / 4)];
            uint _e170 = args.inner[5].y;
            uint valid5_1_ = ((_e170 & 1u) != 0u) ? (_e163 >> (first_1_ & 31u)) : 15u;
            {
                uint _e176 = step;
                uint k = _e176 + 0u;
                {
                    ulong _e186 = in0_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e193 = in1_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e223 = row(base + 0u, as_type<long>(_e186), as_type<long>(_e193), ((quad2_0_ >> 0u) & 1u) != 0u, ((quad3_0_ >> 0u) & 1u) != 0u, as_type<int>(quad4_0_.x), ((valid4_0_ >> 0u) & 1u) != 0u, as_type<int>(quad5_0_.x), ((valid5_0_ >> 0u) & 1u) != 0u);
                    bool live = (base + 0u) < rows;
                    uint _e227 = m0_;
                    m0_ = _e227 | (((live & _e223.o0_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e239 = n0_;
                    n0_ = _e239 | (((live & _e223.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    ulong _e258 = in0_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e265 = in1_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e295 = row(base + 1u, as_type<long>(_e258), as_type<long>(_e265), ((quad2_0_ >> 1u) & 1u) != 0u, ((quad3_0_ >> 1u) & 1u) != 0u, as_type<int>(quad4_0_.y), ((valid4_0_ >> 1u) & 1u) != 0u, as_type<int>(quad5_0_.y), ((valid5_0_ >> 1u) & 1u) != 0u);
                    bool live_1 = (base + 1u) < rows;
                    uint _e299 = m0_;
                    m0_ = _e299 | (((live_1 & _e295.o0_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e311 = n0_;
                    n0_ = _e311 | (((live_1 & _e295.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    ulong _e330 = in0_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e337 = in1_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e367 = row(base + 2u, as_type<long>(_e330), as_type<long>(_e337), ((quad2_0_ >> 2u) & 1u) != 0u, ((quad3_0_ >> 2u) & 1u) != 0u, as_type<int>(quad4_0_.z), ((valid4_0_ >> 2u) & 1u) != 0u, as_type<int>(quad5_0_.z), ((valid5_0_ >> 2u) & 1u) != 0u);
                    bool live_2 = (base + 2u) < rows;
                    uint _e371 = m0_;
                    m0_ = _e371 | (((live_2 & _e367.o0_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e383 = n0_;
                    n0_ = _e383 | (((live_2 & _e367.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    ulong _e402 = in0_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e409 = in1_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e439 = row(base + 3u, as_type<long>(_e402), as_type<long>(_e409), ((quad2_0_ >> 3u) & 1u) != 0u, ((quad3_0_ >> 3u) & 1u) != 0u, as_type<int>(quad4_0_.w), ((valid4_0_ >> 3u) & 1u) != 0u, as_type<int>(quad5_0_.w), ((valid5_0_ >> 3u) & 1u) != 0u);
                    bool live_3 = (base + 3u) < rows;
                    uint _e443 = m0_;
                    m0_ = _e443 | (((live_3 & _e439.o0_) ? 1u : 0u) << ((4u * k) + 3u));
                    uint _e455 = n0_;
                    n0_ = _e455 | (((live_3 & _e439.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                }
                if (base < rows) {
                }
            }
            {
                uint _e468 = step;
                uint k_1 = _e468 + 1u;
                {
                    ulong _e478 = in0_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e485 = in1_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e515 = row(base_1 + 0u, as_type<long>(_e478), as_type<long>(_e485), ((quad2_1_ >> 0u) & 1u) != 0u, ((quad3_1_ >> 0u) & 1u) != 0u, as_type<int>(quad4_1_.x), ((valid4_1_ >> 0u) & 1u) != 0u, as_type<int>(quad5_1_.x), ((valid5_1_ >> 0u) & 1u) != 0u);
                    bool live_4 = (base_1 + 0u) < rows;
                    uint _e519 = m0_;
                    m0_ = _e519 | (((live_4 & _e515.o0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    uint _e531 = n0_;
                    n0_ = _e531 | (((live_4 & _e515.q0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                }
                {
                    ulong _e550 = in0_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e557 = in1_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e587 = row(base_1 + 1u, as_type<long>(_e550), as_type<long>(_e557), ((quad2_1_ >> 1u) & 1u) != 0u, ((quad3_1_ >> 1u) & 1u) != 0u, as_type<int>(quad4_1_.y), ((valid4_1_ >> 1u) & 1u) != 0u, as_type<int>(quad5_1_.y), ((valid5_1_ >> 1u) & 1u) != 0u);
                    bool live_5 = (base_1 + 1u) < rows;
                    uint _e591 = m0_;
                    m0_ = _e591 | (((live_5 & _e587.o0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    uint _e603 = n0_;
                    n0_ = _e603 | (((live_5 & _e587.q0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                }
// … 83 more lines with the checksum 72ff1243cf1fb6af
