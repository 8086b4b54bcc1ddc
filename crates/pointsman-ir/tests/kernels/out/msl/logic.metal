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
    uint size12;
    uint size13;
};

struct type_2 {
    metal::uint4 inner[6];
};
typedef metal::atomic_uint type_4[1];
typedef uint type_5[1];
typedef metal::uint4 type_6[1];
struct Row {
    bool selected;
    bool bad;
    bool o0_;
    bool q0_;
    int o1_;
    bool q1_;
    char _pad6[3];
};
struct type_9 {
    uint inner[128];
};

Row row(
    uint r,
    bool c0_,
    bool d0_,
    bool c1_,
    bool c2_,
    bool d2_,
    int c3_,
    bool d3_,
    int c4_
) {
    bool bad = false;
    bool v0_ = {};
    bool n0_1 = {};
    bool v1_ = {};
    bool v2_ = {};
    bool n2_ = {};
    int v3_ = {};
    bool n3_ = {};
    int v4_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool v5_ = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    bool n5_ = {};
    bool local_8 = {};
    bool local_9 = {};
    bool local_10 = {};
    bool v6_ = {};
    bool local_11 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    bool n6_ = {};
    bool v7_ = {};
    bool n7_ = {};
    bool local_16 = {};
    bool local_17 = {};
    bool local_18 = {};
    bool v8_ = {};
    bool local_19 = {};
    bool local_20 = {};
    bool local_21 = {};
    bool local_22 = {};
    bool local_23 = {};
    bool n8_ = {};
    bool v9_ = {};
    bool local_24 = {};
    int v10_ = {};
    bool local_25 = {};
    bool n10_ = {};
    int v11_ = {};
    int v12_ = {};
    bool n12_ = {};
    bool local_26 = {};
    bool local_27 = {};
    bool local_28 = {};
    bool local_29 = {};
    v0_ = c0_;
    n0_1 = d0_;
    v1_ = c1_;
    v2_ = c2_;
    n2_ = d2_;
    v3_ = c3_;
    n3_ = d3_;
    v4_ = c4_;
    bool _e19 = n0_1;
    if (_e19) {
        bool _e22 = v0_;
        local = !(_e22);
    } else {
        local = false;
    }
    bool _e25 = local;
    if (!(_e25)) {
        bool _e29 = n2_;
        if (_e29) {
            bool _e32 = v2_;
            local_2 = !(_e32);
        } else {
            local_2 = false;
        }
        bool _e35 = local_2;
        local_1 = _e35;
    } else {
        local_1 = true;
    }
    bool _e37 = local_1;
    v5_ = !(_e37);
    bool _e40 = n0_1;
    if (_e40) {
        bool _e43 = n2_;
        local_3 = _e43;
    } else {
        local_3 = false;
    }
    bool _e45 = local_3;
    if (!(_e45)) {
        bool _e49 = n0_1;
        if (_e49) {
            bool _e52 = v0_;
            local_5 = !(_e52);
        } else {
            local_5 = false;
        }
        bool _e55 = local_5;
        local_4 = _e55;
    } else {
        local_4 = true;
    }
    bool _e57 = local_4;
    if (!(_e57)) {
        bool _e61 = n2_;
        if (_e61) {
            bool _e64 = v2_;
            local_7 = !(_e64);
        } else {
            local_7 = false;
        }
        bool _e67 = local_7;
        local_6 = _e67;
    } else {
        local_6 = true;
    }
    bool _e69 = local_6;
    n5_ = _e69;
    bool _e71 = n5_;
    if (_e71) {
        bool _e74 = v5_;
        local_8 = _e74;
    } else {
        local_8 = false;
    }
    bool _e76 = local_8;
    if (!(_e76)) {
        if (true) {
            bool _e83 = v1_;
            local_10 = _e83;
        } else {
            local_10 = false;
        }
        bool _e85 = local_10;
        local_9 = _e85;
    } else {
        local_9 = true;
    }
    bool _e87 = local_9;
    v6_ = _e87;
    bool _e89 = n5_;
    if (_e89) {
        local_11 = true;
    } else {
        local_11 = false;
    }
    bool _e94 = local_11;
    if (!(_e94)) {
        bool _e98 = n5_;
        if (_e98) {
            bool _e101 = v5_;
            local_13 = _e101;
        } else {
            local_13 = false;
        }
        bool _e103 = local_13;
        local_12 = _e103;
    } else {
        local_12 = true;
    }
    bool _e105 = local_12;
    if (!(_e105)) {
        if (true) {
            bool _e112 = v1_;
            local_15 = _e112;
        } else {
            local_15 = false;
        }
        bool _e114 = local_15;
        local_14 = _e114;
    } else {
        local_14 = true;
    }
    bool _e116 = local_14;
    n6_ = _e116;
    bool _e118 = v6_;
    v7_ = !(_e118);
    bool _e121 = n6_;
    n7_ = _e121;
    if (true) {
        bool _e126 = v1_;
        local_16 = !(_e126);
    } else {
        local_16 = false;
    }
    bool _e129 = local_16;
    if (!(_e129)) {
        bool _e133 = n7_;
        if (_e133) {
            bool _e136 = v7_;
            local_18 = !(_e136);
        } else {
            local_18 = false;
        }
        bool _e139 = local_18;
        local_17 = _e139;
    } else {
        local_17 = true;
    }
    bool _e141 = local_17;
    v8_ = !(_e141);
    if (true) {
        bool _e147 = n7_;
        local_19 = _e147;
    } else {
        local_19 = false;
    }
    bool _e149 = local_19;
    if (!(_e149)) {
        if (true) {
            bool _e156 = v1_;
            local_21 = !(_e156);
        } else {
            local_21 = false;
        }
        bool _e159 = local_21;
        local_20 = _e159;
    } else {
        local_20 = true;
    }
    bool _e161 = local_20;
    if (!(_e161)) {
        bool _e165 = n7_;
        if (_e165) {
            bool _e168 = v7_;
            local_23 = !(_e168);
        } else {
            local_23 = false;
        }
        bool _e171 = local_23;
        local_22 = _e171;
    } else {
        local_22 = true;
    }
    bool _e173 = local_22;
    n8_ = _e173;
    bool _e175 = n3_;
    v9_ = !(_e175);
    int _e178 = v4_;
    int _e179 = v3_;
    bool _e180 = n8_;
    if (_e180) {
        bool _e183 = v8_;
        local_24 = _e183;
    } else {
        local_24 = false;
    }
    bool _e185 = local_24;
    v10_ = _e185 ? _e179 : _e178;
    bool _e189 = n3_;
    bool _e190 = n8_;
    if (_e190) {
        bool _e193 = v8_;
        local_25 = _e193;
    } else {
        local_25 = false;
    }
    bool _e195 = local_25;
    n10_ = _e195 ? _e189 : true;
    int _e198 = v4_;
    int _e199 = v10_;
    bool _e200 = n10_;
    v11_ = _e200 ? _e199 : _e198;
    int _e203 = v11_;
    int _e204 = v3_;
    bool _e205 = v9_;
    v12_ = _e205 ? _e204 : _e203;
    bool _e209 = n3_;
    bool _e210 = v9_;
    n12_ = _e210 ? _e209 : true;
    bool _e213 = v1_;
    bool _e214 = bad;
    bool _e216 = v8_;
    bool _e217 = v1_;
    if (_e217) {
        bool _e220 = n8_;
        local_26 = _e220;
    } else {
        local_26 = false;
    }
    bool _e222 = local_26;
    bool _e224 = v1_;
    if (_e224) {
        bool _e227 = n8_;
        local_27 = _e227;
    } else {
        local_27 = false;
    }
    bool _e229 = local_27;
    int _e231 = v12_;
    bool _e232 = v1_;
    if (_e232) {
        bool _e235 = n12_;
        local_28 = _e235;
    } else {
        local_28 = false;
    }
    bool _e237 = local_28;
    bool _e239 = v1_;
    if (_e239) {
        bool _e242 = n12_;
        local_29 = _e242;
    } else {
        local_29 = false;
    }
    bool _e244 = local_29;
    return Row {_e213, _e214, _e222 ? _e216 : false, _e229, _e237 ? _e231 : 0, _e244};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& inv0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_5 const& in2_ [[user(fake0)]]
, device type_5 const& inv2_ [[user(fake0)]]
, device type_6 const& in3_ [[user(fake0)]]
, device type_5 const& inv3_ [[user(fake0)]]
, device type_6 const& in4_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_5& outv0_ [[user(fake0)]]
, device type_6& out1_ [[user(fake0)]]
, device type_5& outv1_ [[user(fake0)]]
, threadgroup type_9& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint m0_ = 0u;
    uint n0_ = 0u;
    uint n1_ = 0u;
    uint step = 0u;
    metal::uint4 t1_ = {};
    metal::uint4 t1_1 = {};
    metal::uint4 t1_2 = {};
    metal::uint4 t1_3 = {};
    uint bits = 0u;
    uint b = 0u;
    uint bits_1 = 0u;
    uint b_1 = 0u;
    uint bits_2 = 0u;
    uint b_2 = 0u;
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
            uint _e1866 = step;
            step = _e1866 + 4u;
        }
        loop_init = false;
        uint _e27 = step;
        if (_e27 < 8u) {
        } else {
            break;
        }
        {
            uint _e30 = step;
            uint base = (start + ((_e30 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            uint _e46 = in0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad0_0_ = _e46 >> (first_0_ & 31u);
            uint _e55 = inv0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e62 = args.inner[4].x;
            uint valid0_0_ = ((_e62 & 1u) != 0u) ? (_e55 >> (first_0_ & 31u)) : 15u;
            uint _e72 = in1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad1_0_ = _e72 >> (first_0_ & 31u);
            uint _e80 = in2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad2_0_ = _e80 >> (first_0_ & 31u);
            uint _e89 = inv2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint _e96 = args.inner[4].z;
            uint valid2_0_ = ((_e96 & 1u) != 0u) ? (_e89 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad3_0_ = in3_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)];
            uint _e112 = inv3_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size8 - 0 - 4) / 4)];
            uint _e119 = args.inner[4].w;
            uint valid3_0_ = ((_e119 & 1u) != 0u) ? (_e112 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad4_0_ = in4_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size9 - 0 - 16) / 16)];
            uint _e130 = step;
            uint base_1 = (start + ((_e130 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint _e146 = in0_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad0_1_ = _e146 >> (first_1_ & 31u);
            uint _e155 = inv0_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e162 = args.inner[4].x;
            uint valid0_1_ = ((_e162 & 1u) != 0u) ? (_e155 >> (first_1_ & 31u)) : 15u;
            uint _e172 = in1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad1_1_ = _e172 >> (first_1_ & 31u);
            uint _e180 = in2_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad2_1_ = _e180 >> (first_1_ & 31u);
            uint _e189 = inv2_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint _e196 = args.inner[4].z;
            uint valid2_1_ = ((_e196 & 1u) != 0u) ? (_e189 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad3_1_ = in3_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)];
            uint _e212 = inv3_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size8 - 0 - 4) / 4)];
            uint _e219 = args.inner[4].w;
            uint valid3_1_ = ((_e219 & 1u) != 0u) ? (_e212 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad4_1_ = in4_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size9 - 0 - 16) / 16)];
            uint _e230 = step;
            uint base_2 = (start + ((_e230 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint _e246 = in0_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad0_2_ = _e246 >> (first_2_ & 31u);
            uint _e255 = inv0_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e262 = args.inner[4].x;
            uint valid0_2_ = ((_e262 & 1u) != 0u) ? (_e255 >> (first_2_ & 31u)) : 15u;
            uint _e272 = in1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad1_2_ = _e272 >> (first_2_ & 31u);
            uint _e280 = in2_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad2_2_ = _e280 >> (first_2_ & 31u);
            uint _e289 = inv2_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint _e296 = args.inner[4].z;
            uint valid2_2_ = ((_e296 & 1u) != 0u) ? (_e289 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad3_2_ = in3_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)];
            uint _e312 = inv3_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size8 - 0 - 4) / 4)];
            uint _e319 = args.inner[4].w;
            uint valid3_2_ = ((_e319 & 1u) != 0u) ? (_e312 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad4_2_ = in4_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size9 - 0 - 16) / 16)];
            uint _e330 = step;
            uint base_3 = (start + ((_e330 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint _e346 = in0_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad0_3_ = _e346 >> (first_3_ & 31u);
            uint _e355 = inv0_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e362 = args.inner[4].x;
            uint valid0_3_ = ((_e362 & 1u) != 0u) ? (_e355 >> (first_3_ & 31u)) : 15u;
            uint _e372 = in1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad1_3_ = _e372 >> (first_3_ & 31u);
            uint _e380 = in2_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad2_3_ = _e380 >> (first_3_ & 31u);
            uint _e389 = inv2_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint _e396 = args.inner[4].z;
            uint valid2_3_ = ((_e396 & 1u) != 0u) ? (_e389 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad3_3_ = in3_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)];
            uint _e412 = inv3_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size8 - 0 - 4) / 4)];
            uint _e419 = args.inner[4].w;
            uint valid3_3_ = ((_e419 & 1u) != 0u) ? (_e412 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad4_3_ = in4_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size9 - 0 - 16) / 16)];
            {
                uint _e430 = step;
                uint k = _e430 + 0u;
                t1_ = metal::uint4 {};
                {
                    Row _e477 = row(base + 0u, ((quad0_0_ >> 0u) & 1u) != 0u, ((valid0_0_ >> 0u) & 1u) != 0u, ((quad1_0_ >> 0u) & 1u) != 0u, ((quad2_0_ >> 0u) & 1u) != 0u, ((valid2_0_ >> 0u) & 1u) != 0u, as_type<int>(quad3_0_.x), ((valid3_0_ >> 0u) & 1u) != 0u, as_type<int>(quad4_0_.x));
                    bool live = (base + 0u) < rows;
                    uint _e481 = m0_;
                    m0_ = _e481 | (((live & _e477.o0_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e493 = n0_;
                    n0_ = _e493 | (((live & _e477.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                    t1_.x = live ? as_type<uint>(_e477.o1_) : 0u;
                    uint _e510 = n1_;
                    n1_ = _e510 | (((live & _e477.q1_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    Row _e564 = row(base + 1u, ((quad0_0_ >> 1u) & 1u) != 0u, ((valid0_0_ >> 1u) & 1u) != 0u, ((quad1_0_ >> 1u) & 1u) != 0u, ((quad2_0_ >> 1u) & 1u) != 0u, ((valid2_0_ >> 1u) & 1u) != 0u, as_type<int>(quad3_0_.y), ((valid3_0_ >> 1u) & 1u) != 0u, as_type<int>(quad4_0_.y));
                    bool live_1 = (base + 1u) < rows;
                    uint _e568 = m0_;
                    m0_ = _e568 | (((live_1 & _e564.o0_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e580 = n0_;
                    n0_ = _e580 | (((live_1 & _e564.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                    t1_.y = live_1 ? as_type<uint>(_e564.o1_) : 0u;
                    uint _e597 = n1_;
                    n1_ = _e597 | (((live_1 & _e564.q1_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    Row _e651 = row(base + 2u, ((quad0_0_ >> 2u) & 1u) != 0u, ((valid0_0_ >> 2u) & 1u) != 0u, ((quad1_0_ >> 2u) & 1u) != 0u, ((quad2_0_ >> 2u) & 1u) != 0u, ((valid2_0_ >> 2u) & 1u) != 0u, as_type<int>(quad3_0_.z), ((valid3_0_ >> 2u) & 1u) != 0u, as_type<int>(quad4_0_.z));
                    bool live_2 = (base + 2u) < rows;
                    uint _e655 = m0_;
                    m0_ = _e655 | (((live_2 & _e651.o0_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e667 = n0_;
                    n0_ = _e667 | (((live_2 & _e651.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                    t1_.z = live_2 ? as_type<uint>(_e651.o1_) : 0u;
                    uint _e684 = n1_;
                    n1_ = _e684 | (((live_2 & _e651.q1_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    Row _e738 = row(base + 3u, ((quad0_0_ >> 3u) & 1u) != 0u, ((valid0_0_ >> 3u) & 1u) != 0u, ((quad1_0_ >> 3u) & 1u) != 0u, ((quad2_0_ >> 3u) & 1u) != 0u, ((valid2_0_ >> 3u) & 1u) != 0u, as_type<int>(quad3_0_.w), ((valid3_0_ >> 3u) & 1u) != 0u, as_type<int>(quad4_0_.w));
                    bool live_3 = (base + 3u) < rows;
                    uint _e742 = m0_;
                    m0_ = _e742 | (((live_3 & _e738.o0_) ? 1u : 0u) << ((4u * k) + 3u));
// … 258 more lines with the checksum 06081680cf183076
