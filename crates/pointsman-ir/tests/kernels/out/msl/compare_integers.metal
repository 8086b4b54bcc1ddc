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
};

struct type_2 {
    metal::uint4 inner[6];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
typedef uint type_6[1];
typedef ulong type_8[1];
struct Row {
    bool selected;
    bool bad;
    bool o0_;
    bool q0_;
};
struct type_11 {
    uint inner[128];
};

Row row(
    uint r,
    int c0_,
    int c1_,
    uint c2_,
    uint c3_,
    ulong c4_,
    ulong c5_
) {
    bool bad = false;
    int v0_ = {};
    int v1_ = {};
    uint v2_ = {};
    uint v3_ = {};
    ulong v4_ = {};
    ulong v5_ = {};
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
    bool local_22 = {};
    bool local_23 = {};
    bool v22_ = {};
    bool v23_ = {};
    bool local_24 = {};
    bool local_25 = {};
    bool local_26 = {};
    bool v24_ = {};
    v0_ = c0_;
    v1_ = c1_;
    v2_ = c2_;
    v3_ = c3_;
    v4_ = c4_;
    v5_ = c5_;
    int _e15 = v0_;
    int _e16 = v1_;
    v6_ = _e15 == _e16;
    int _e19 = v0_;
    int _e20 = v1_;
    v7_ = _e19 != _e20;
    if (true) {
        bool _e26 = v6_;
        local = _e26;
    } else {
        local = false;
    }
    bool _e28 = local;
    if (!(_e28)) {
        if (true) {
            bool _e35 = v7_;
            local_2 = _e35;
        } else {
            local_2 = false;
        }
        bool _e37 = local_2;
        local_1 = _e37;
    } else {
        local_1 = true;
    }
    bool _e39 = local_1;
    v8_ = _e39;
    int _e41 = v0_;
    int _e42 = v1_;
    v9_ = _e41 < _e42;
    if (true) {
        bool _e48 = v8_;
        local_3 = _e48;
    } else {
        local_3 = false;
    }
    bool _e50 = local_3;
    if (!(_e50)) {
        if (true) {
            bool _e57 = v9_;
            local_5 = _e57;
        } else {
            local_5 = false;
        }
        bool _e59 = local_5;
        local_4 = _e59;
    } else {
        local_4 = true;
    }
    bool _e61 = local_4;
    v10_ = _e61;
    int _e63 = v0_;
    int _e64 = v1_;
    v11_ = _e63 <= _e64;
    if (true) {
        bool _e70 = v10_;
        local_6 = _e70;
    } else {
        local_6 = false;
    }
    bool _e72 = local_6;
    if (!(_e72)) {
        if (true) {
            bool _e79 = v11_;
            local_8 = _e79;
        } else {
            local_8 = false;
        }
        bool _e81 = local_8;
        local_7 = _e81;
    } else {
        local_7 = true;
    }
    bool _e83 = local_7;
    v12_ = _e83;
    int _e85 = v0_;
    int _e86 = v1_;
    v13_ = _e85 > _e86;
    if (true) {
        bool _e92 = v12_;
        local_9 = _e92;
    } else {
        local_9 = false;
    }
    bool _e94 = local_9;
    if (!(_e94)) {
        if (true) {
            bool _e101 = v13_;
            local_11 = _e101;
        } else {
            local_11 = false;
        }
        bool _e103 = local_11;
        local_10 = _e103;
    } else {
        local_10 = true;
    }
    bool _e105 = local_10;
    v14_ = _e105;
    int _e107 = v0_;
    int _e108 = v1_;
    v15_ = _e107 >= _e108;
    if (true) {
        bool _e114 = v14_;
        local_12 = _e114;
    } else {
        local_12 = false;
    }
    bool _e116 = local_12;
    if (!(_e116)) {
        if (true) {
            bool _e123 = v15_;
            local_14 = _e123;
        } else {
            local_14 = false;
        }
        bool _e125 = local_14;
        local_13 = _e125;
    } else {
        local_13 = true;
    }
    bool _e127 = local_13;
    v16_ = _e127;
    uint _e129 = v2_;
    uint _e130 = v3_;
    v17_ = _e129 == _e130;
    if (true) {
        bool _e136 = v16_;
        local_15 = _e136;
    } else {
        local_15 = false;
    }
    bool _e138 = local_15;
    if (!(_e138)) {
        if (true) {
            bool _e145 = v17_;
            local_17 = _e145;
        } else {
            local_17 = false;
        }
        bool _e147 = local_17;
        local_16 = _e147;
    } else {
        local_16 = true;
    }
    bool _e149 = local_16;
    v18_ = _e149;
    uint _e151 = v2_;
    uint _e152 = v3_;
    v19_ = _e151 < _e152;
    if (true) {
        bool _e158 = v18_;
        local_18 = _e158;
    } else {
        local_18 = false;
    }
    bool _e160 = local_18;
    if (!(_e160)) {
        if (true) {
            bool _e167 = v19_;
            local_20 = _e167;
        } else {
            local_20 = false;
        }
        bool _e169 = local_20;
        local_19 = _e169;
    } else {
        local_19 = true;
    }
    bool _e171 = local_19;
    v20_ = _e171;
    ulong _e173 = v4_;
    ulong _e174 = v5_;
    v21_ = _e173 == _e174;
    if (true) {
        bool _e180 = v20_;
        local_21 = _e180;
    } else {
        local_21 = false;
    }
    bool _e182 = local_21;
    if (!(_e182)) {
        if (true) {
            bool _e189 = v21_;
            local_23 = _e189;
        } else {
            local_23 = false;
        }
        bool _e191 = local_23;
        local_22 = _e191;
    } else {
        local_22 = true;
    }
    bool _e193 = local_22;
    v22_ = _e193;
    ulong _e195 = v4_;
    ulong _e196 = v5_;
    v23_ = _e195 < _e196;
    if (true) {
        bool _e202 = v22_;
        local_24 = _e202;
    } else {
        local_24 = false;
    }
    bool _e204 = local_24;
    if (!(_e204)) {
        if (true) {
            bool _e211 = v23_;
            local_26 = _e211;
        } else {
            local_26 = false;
        }
        bool _e213 = local_26;
        local_25 = _e213;
    } else {
        local_25 = true;
    }
    bool _e215 = local_25;
    v24_ = _e215;
    bool _e218 = bad;
    bool _e219 = v24_;
    return Row {true, _e218, _e219, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_6 const& in2_ [[user(fake0)]]
, device type_6 const& in3_ [[user(fake0)]]
, device type_8 const& in4_ [[user(fake0)]]
, device type_8 const& in5_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, threadgroup type_11& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint m0_ = 0u;
    uint step = 0u;
    uint bits = 0u;
    uint b = 0u;
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
            uint _e434 = step;
            step = _e434 + 2u;
        }
        loop_init = false;
        uint _e23 = step;
        if (_e23 < 8u) {
        } else {
            break;
        }
        {
            uint _e26 = step;
            uint base = (start + ((_e26 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint quad2_0_ = in2_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad3_0_ = in3_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e58 = step;
            uint base_1 = (start + ((_e58 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint quad2_1_ = in2_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad3_1_ = in3_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            {
                uint _e90 = step;
                uint k = _e90 + 0u;
                {
                    ulong _e112 = in4_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e118 = in5_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e119 = row(base + 0u, as_type<int>(quad0_0_.x), as_type<int>(quad1_0_.x), (quad2_0_ >> 0u) & 255u, (quad3_0_ >> 0u) & 255u, _e112, _e118);
                    bool live = (base + 0u) < rows;
                    uint _e123 = m0_;
                    m0_ = _e123 | (((live & _e119.o0_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    ulong _e154 = in4_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e160 = in5_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e161 = row(base + 1u, as_type<int>(quad0_0_.y), as_type<int>(quad1_0_.y), (quad2_0_ >> 8u) & 255u, (quad3_0_ >> 8u) & 255u, _e154, _e160);
                    bool live_1 = (base + 1u) < rows;
                    uint _e165 = m0_;
                    m0_ = _e165 | (((live_1 & _e161.o0_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    ulong _e196 = in4_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e202 = in5_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e203 = row(base + 2u, as_type<int>(quad0_0_.z), as_type<int>(quad1_0_.z), (quad2_0_ >> 16u) & 255u, (quad3_0_ >> 16u) & 255u, _e196, _e202);
                    bool live_2 = (base + 2u) < rows;
                    uint _e207 = m0_;
                    m0_ = _e207 | (((live_2 & _e203.o0_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    ulong _e238 = in4_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e244 = in5_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e245 = row(base + 3u, as_type<int>(quad0_0_.w), as_type<int>(quad1_0_.w), (quad2_0_ >> 24u) & 255u, (quad3_0_ >> 24u) & 255u, _e238, _e244);
                    bool live_3 = (base + 3u) < rows;
                    uint _e249 = m0_;
                    m0_ = _e249 | (((live_3 & _e245.o0_) ? 1u : 0u) << ((4u * k) + 3u));
                }
                if (base < rows) {
                }
            }
            {
                uint _e262 = step;
                uint k_1 = _e262 + 1u;
                {
                    ulong _e284 = in4_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e290 = in5_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e291 = row(base_1 + 0u, as_type<int>(quad0_1_.x), as_type<int>(quad1_1_.x), (quad2_1_ >> 0u) & 255u, (quad3_1_ >> 0u) & 255u, _e284, _e290);
                    bool live_4 = (base_1 + 0u) < rows;
                    uint _e295 = m0_;
                    m0_ = _e295 | (((live_4 & _e291.o0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                }
                {
                    ulong _e326 = in4_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e332 = in5_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e333 = row(base_1 + 1u, as_type<int>(quad0_1_.y), as_type<int>(quad1_1_.y), (quad2_1_ >> 8u) & 255u, (quad3_1_ >> 8u) & 255u, _e326, _e332);
                    bool live_5 = (base_1 + 1u) < rows;
                    uint _e337 = m0_;
                    m0_ = _e337 | (((live_5 & _e333.o0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                }
                {
                    ulong _e368 = in4_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e374 = in5_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e375 = row(base_1 + 2u, as_type<int>(quad0_1_.z), as_type<int>(quad1_1_.z), (quad2_1_ >> 16u) & 255u, (quad3_1_ >> 16u) & 255u, _e368, _e374);
                    bool live_6 = (base_1 + 2u) < rows;
                    uint _e379 = m0_;
                    m0_ = _e379 | (((live_6 & _e375.o0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                }
                {
                    ulong _e410 = in4_[metal::min(unsigned(metal::min(base_1 + 3u, last)), (_buffer_sizes.size6 - 0 - 8) / 8)];
                    ulong _e416 = in5_[metal::min(unsigned(metal::min(base_1 + 3u, last)), (_buffer_sizes.size7 - 0 - 8) / 8)];
                    Row _e417 = row(base_1 + 3u, as_type<int>(quad0_1_.w), as_type<int>(quad1_1_.w), (quad2_1_ >> 24u) & 255u, (quad3_1_ >> 24u) & 255u, _e410, _e416);
                    bool live_7 = (base_1 + 3u) < rows;
                    uint _e421 = m0_;
                    m0_ = _e421 | (((live_7 & _e417.o0_) ? 1u : 0u) << ((4u * k_1) + 3u));
                }
                if (base_1 < rows) {
                }
            }
        }
    }
    uint _e439 = m0_;
    shared_bits.inner[metal::min(unsigned(lane), 127u)] = _e439;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if ((start + (lane * 32u)) < rows) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e474 = b;
                b = _e474 + 1u;
            }
            loop_init_1 = false;
            uint _e448 = b;
            if (_e448 < 8u) {
            } else {
                break;
            }
            {
                uint _e451 = bits;
                uint _e457 = b;
                uint _e460 = shared_bits.inner[metal::min(unsigned(((lane & 15u) * 8u) + _e457), 127u)];
                uint _e469 = b;
                bits = _e451 | (((_e460 >> (4u * (lane >> 4u))) & 15u) << (4u * _e469));
            }
        }
        uint _e481 = bits;
        out0_[metal::min(unsigned((start >> 5u) + lane), (_buffer_sizes.size8 - 0 - 4) / 4)] = _e481;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return;
}
