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
    metal::uint4 inner[5];
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
    uint o1_;
    ulong o2_;
    bool q2_;
    char _pad7[7];
};
struct type_10 {
    uint inner[136];
};
struct type_11 {
    uint inner[8];
};
struct type_12 {
    uint inner[512];
};
struct type_13 {
    uint inner[1024];
};
struct type_14 {
    ulong inner[1024];
};

Row row(
    uint r,
    uint c0_1,
    bool d0_,
    uint c1_,
    ulong c2_,
    bool d2_,
    bool c3_
) {
    bool bad = false;
    uint v0_ = {};
    bool n0_ = {};
    uint v1_ = {};
    ulong v2_ = {};
    bool n2_ = {};
    bool v3_ = {};
    bool v4_ = {};
    bool n4_ = {};
    uint v5_ = {};
    v0_ = c0_1;
    n0_ = d0_;
    v1_ = c1_;
    v2_ = c2_;
    n2_ = d2_;
    v3_ = c3_;
    uint _e15 = v0_;
    uint _e16 = v1_;
    v4_ = _e15 == _e16;
    bool _e19 = n0_;
    n4_ = _e19;
    uint _e21 = v1_;
    uint _e22 = v0_;
    bool _e23 = n0_;
    v5_ = _e23 ? _e22 : _e21;
    bool _e26 = v3_;
    bool _e27 = bad;
    bool _e28 = v4_;
    bool _e29 = n4_;
    uint _e30 = v5_;
    ulong _e31 = v2_;
    bool _e32 = n2_;
    return Row {_e26, _e27, _e28, _e29, _e30, _e31, _e32};
}

uint joined_words(
    uint near,
    uint far
) {
    return ((near >> 30u) == 1u) ? (far + (near & 1073741823u)) : near;
}

ulong row_number(
    uint r_1,
    constant type_2& args
) {
    uint _e4 = args.inner[0].y;
    uint _e9 = args.inner[0].z;
    return (static_cast<ulong>(_e4) | (static_cast<ulong>(_e9) << 32u)) + static_cast<ulong>(r_1);
}

uint count_tile(
    uint tile,
    uint lane_1,
    constant type_2& args,
    device type_5 const& in0_,
    device type_6 const& inv0_,
    device type_5 const& in1_,
    device type_8 const& in2_,
    device type_6 const& inv2_,
    device type_6 const& in3_,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint count_1 = 0u;
    uint q = 0u;
    uint rows = args.inner[0].x;
    uint last = rows - 1u;
    if (lane_1 == 0u) {
        metal::atomic_store_explicit(&shared_sum, 0u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e282 = q;
            q = _e282 + 1u;
        }
        loop_init = false;
        uint _e16 = q;
        if (_e16 < 1u) {
        } else {
            break;
        }
        {
            uint _e21 = q;
            uint base = (tile * 1024u) + (((_e21 * 256u) + lane_1) * 4u);
            uint first_2 = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_ = in0_[metal::min(unsigned(first_2 >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e41 = inv0_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e48 = args.inner[4].x;
            uint valid0_ = ((_e48 & 1u) != 0u) ? (_e41 >> (first_2 & 31u)) : 15u;
            metal::uint4 quad1_ = in1_[metal::min(unsigned(first_2 >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e64 = inv2_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint _e71 = args.inner[4].z;
            uint valid2_ = ((_e71 & 1u) != 0u) ? (_e64 >> (first_2 & 31u)) : 15u;
            uint _e81 = in3_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size7 - 0 - 4) / 4)];
            uint quad3_ = _e81 >> (first_2 & 31u);
            {
                ulong _e100 = in2_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                ulong _e103 = row_number(base + 0u, args);
                uint _e107 = args.inner[4].z;
                Row _e125 = row(base + 0u, quad0_.x, ((valid0_ >> 0u) & 1u) != 0u, quad1_.x, ((_e107 & 2u) != 0u) ? _e103 : _e100, ((valid2_ >> 0u) & 1u) != 0u, ((quad3_ >> 0u) & 1u) != 0u);
                uint _e126 = count_1;
                count_1 = _e126 + static_cast<uint>(((base + 0u) < rows) & _e125.selected);
            }
            {
                ulong _e149 = in2_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                ulong _e152 = row_number(base + 1u, args);
                uint _e156 = args.inner[4].z;
                Row _e174 = row(base + 1u, quad0_.y, ((valid0_ >> 1u) & 1u) != 0u, quad1_.y, ((_e156 & 2u) != 0u) ? _e152 : _e149, ((valid2_ >> 1u) & 1u) != 0u, ((quad3_ >> 1u) & 1u) != 0u);
                uint _e175 = count_1;
                count_1 = _e175 + static_cast<uint>(((base + 1u) < rows) & _e174.selected);
            }
            {
                ulong _e198 = in2_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                ulong _e201 = row_number(base + 2u, args);
                uint _e205 = args.inner[4].z;
                Row _e223 = row(base + 2u, quad0_.z, ((valid0_ >> 2u) & 1u) != 0u, quad1_.z, ((_e205 & 2u) != 0u) ? _e201 : _e198, ((valid2_ >> 2u) & 1u) != 0u, ((quad3_ >> 2u) & 1u) != 0u);
                uint _e224 = count_1;
                count_1 = _e224 + static_cast<uint>(((base + 2u) < rows) & _e223.selected);
            }
            {
                ulong _e247 = in2_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size5 - 0 - 8) / 8)];
                ulong _e250 = row_number(base + 3u, args);
                uint _e254 = args.inner[4].z;
                Row _e272 = row(base + 3u, quad0_.w, ((valid0_ >> 3u) & 1u) != 0u, quad1_.w, ((_e254 & 2u) != 0u) ? _e250 : _e247, ((valid2_ >> 3u) & 1u) != 0u, ((quad3_ >> 3u) & 1u) != 0u);
                uint _e273 = count_1;
                count_1 = _e273 + static_cast<uint>(((base + 3u) < rows) & _e272.selected);
            }
        }
    }
    uint _e285 = count_1;
    uint _e286 = metal::atomic_fetch_add_explicit(&shared_sum, _e285, metal::memory_order_relaxed);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_1 == 0u) {
        uint _e291 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e291;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return unnamed;
}

uint nearest_missing(
    uint state,
    uint lane_2,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum
) {
    if (lane_2 == 0u) {
        metal::atomic_store_explicit(&shared_sum, 128u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (state == 0u) {
        uint _e9 = metal::atomic_fetch_min_explicit(&shared_sum, lane_2, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_2 == 0u) {
        uint _e14 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e14;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed_1 = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return unnamed_1;
}

void ask_for(
    uint number,
    uint first,
    uint lane_3,
    constant type_2& args,
    device type_5 const& in0_,
    device type_6 const& inv0_,
    device type_5 const& in1_,
    device type_8 const& in2_,
    device type_6 const& inv2_,
    device type_6 const& in3_,
    device type_4& nodes,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint state_1 = 0u;
    uint i = 0u;
    bool local = {};
    if (lane_3 == 0u) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e23 = i;
                i = _e23 + 1u;
            }
            loop_init_1 = false;
            uint _e9 = i;
            if (_e9 < 64u) {
                uint _e14 = state_1;
                local = _e14 == 0u;
            } else {
                local = false;
            }
            bool _e18 = local;
            if (_e18) {
            } else {
                break;
            }
            {
                uint _e21 = metal::atomic_load_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size13 - 0 - 4) / 4)], metal::memory_order_relaxed);
                state_1 = _e21;
            }
        }
        uint _e26 = state_1;
        shared_view = _e26;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed_2 = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (unnamed_2 == 0u) {
        uint _e32 = count_tile(number - first, lane_3, args, in0_, inv0_, in1_, in2_, inv2_, in3_, shared_view, shared_sum, _buffer_sizes);
        if (lane_3 == 0u) {
            uint _e39 = metal::atomic_fetch_max_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size13 - 0 - 4) / 4)], 1073741824u | _e32, metal::memory_order_relaxed);
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}

uint rows_before(
    uint first_1,
    uint number_1,
    uint lane_4,
    constant type_2& args,
    device type_5 const& in0_,
    device type_6 const& inv0_,
    device type_5 const& in1_,
    device type_8 const& in2_,
    device type_6 const& inv2_,
    device type_6 const& in3_,
    device type_4& nodes,
    threadgroup type_10& shared_look,
    threadgroup type_11& shared_parts,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint sum = 0u;
    uint at = {};
    uint i_1 = 0u;
    bool local_1 = {};
    uint state_2 = {};
    uint part = {};
    uint k_1 = {};
    uint all = {};
    uint k_2 = {};
    at = number_1;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e107 = i_1;
            i_1 = _e107 + 1u;
        }
        loop_init_2 = false;
        uint _e8 = i_1;
        if (_e8 < 2147483647u) {
            local_1 = number_1 > 0u;
        } else {
            local_1 = false;
        }
        bool _e16 = local_1;
        if (_e16) {
        } else {
            break;
        }
        {
            state_2 = 2147483648u;
            uint _e19 = at;
            if (lane_4 < metal::min(_e19, 128u)) {
                uint _e24 = at;
                uint _e29 = metal::atomic_load_explicit(&nodes[metal::min(unsigned((_e24 - 1u) - lane_4), (_buffer_sizes.size13 - 0 - 4) / 4)], metal::memory_order_relaxed);
                state_2 = _e29;
            }
            if (lane_4 < 128u) {
                uint _e37 = state_2;
                shared_look.inner[metal::min(unsigned(lane_4 + (lane_4 / 16u)), 135u)] = _e37;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane_4 < 8u) {
                part = 1073741824u;
                k_1 = 0u;
                bool loop_init_3 = true;
                while(true) {
                    if (!loop_init_3) {
                        uint _e57 = k_1;
                        k_1 = _e57 + 1u;
                    }
                    loop_init_3 = false;
                    uint _e44 = k_1;
                    if (_e44 < 16u) {
                    } else {
                        break;
                    }
                    {
                        uint _e47 = part;
                        uint _e51 = k_1;
                        uint _e54 = shared_look.inner[metal::min(unsigned((lane_4 * 17u) + _e51), 135u)];
                        uint _e55 = joined_words(_e47, _e54);
                        part = _e55;
                    }
                }
                uint _e61 = part;
                shared_parts.inner[metal::min(unsigned(lane_4), 7u)] = _e61;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane_4 == 0u) {
                all = 1073741824u;
                k_2 = 0u;
                bool loop_init_4 = true;
                while(true) {
                    if (!loop_init_4) {
                        uint _e78 = k_2;
                        k_2 = _e78 + 1u;
                    }
                    loop_init_4 = false;
                    uint _e68 = k_2;
                    if (_e68 < 8u) {
                    } else {
                        break;
                    }
                    {
                        uint _e71 = all;
                        uint _e73 = k_2;
                        uint _e75 = shared_parts.inner[metal::min(unsigned(_e73), 7u)];
                        uint _e76 = joined_words(_e71, _e75);
                        all = _e76;
                    }
                }
                uint _e81 = all;
                shared_view = _e81;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint unnamed_3 = shared_view;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e84 = sum;
            sum = _e84 + (unnamed_3 & 1073741823u);
            if ((unnamed_3 >> 30u) == 2u) {
                break;
            }
            if ((unnamed_3 >> 30u) == 1u) {
                uint _e96 = at;
                at = _e96 - 128u;
            } else {
                uint _e99 = at;
                uint _e100 = state_2;
                uint _e101 = nearest_missing(_e100, lane_4, shared_view, shared_sum);
                at = _e99 - _e101;
                uint _e103 = at;
                ask_for(_e103 - 1u, first_1, lane_4, args, in0_, inv0_, in1_, in2_, inv2_, in3_, nodes, shared_view, shared_sum, _buffer_sizes);
            }
        }
    }
    uint _e109 = sum;
    return _e109;
}

struct compactInput {
};
[[max_total_threads_per_threadgroup(256)]] kernel void compact(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_6 const& inv0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_8 const& in2_ [[user(fake0)]]
, device type_6 const& inv2_ [[user(fake0)]]
, device type_6 const& in3_ [[user(fake0)]]
, device type_4& out0_ [[user(fake0)]]
, device type_4& outv0_ [[user(fake0)]]
, device type_6& out1_ [[user(fake0)]]
, device type_8& out2_ [[user(fake0)]]
, device type_4& outv2_ [[user(fake0)]]
, device type_4& nodes [[user(fake0)]]
, threadgroup type_10& shared_look
, threadgroup type_11& shared_parts
, threadgroup uint& shared_view
, threadgroup metal::atomic_uint& shared_sum
, threadgroup type_12& shared_counts
, threadgroup type_11& shared_groups
, threadgroup type_13& stage0_
, threadgroup type_13& stagev0_
, threadgroup type_13& stage1_
, threadgroup type_14& stage2_
, threadgroup type_13& stagev2_
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint mask = 0u;
    uint there = 0u;
    uint c0_ = {};
    uint half_ = 0u;
    uint h = 1u;
    uint ahead = 0u;
    uint count = 0u;
    uint g = 0u;
    uint at0_ = {};
    uint k = 0u;
    uint rows_1 = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint tile_1 = group.x + (group.y * _e11);
    uint start = tile_1 * 1024u;
    if (start >= rows_1) {
        return;
    }
    uint last_1 = rows_1 - 1u;
    uint own = (start + ((lane >> 5u) * 128u)) + ((lane & 31u) * 4u);
    uint base_0_ = own + 0u;
    uint first_0_ = metal::min(base_0_, last_1 & 4294967292u);
    metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
    uint _e44 = inv0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
    uint _e51 = args.inner[4].x;
    uint valid0_0_ = ((_e51 & 1u) != 0u) ? (_e44 >> (first_0_ & 31u)) : 15u;
    metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
    uint _e67 = inv2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e74 = args.inner[4].z;
    uint valid2_0_ = ((_e74 & 1u) != 0u) ? (_e67 >> (first_0_ & 31u)) : 15u;
    uint _e84 = in3_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size7 - 0 - 4) / 4)];
    uint quad3_0_ = _e84 >> (first_0_ & 31u);
    ulong _e105 = in2_[metal::min(unsigned(metal::min(base_0_ + 0u, last_1)), (_buffer_sizes.size5 - 0 - 8) / 8)];
    ulong _e108 = row_number(base_0_ + 0u, args);
    uint _e112 = args.inner[4].z;
    Row _e130 = row(base_0_ + 0u, quad0_0_.x, ((valid0_0_ >> 0u) & 1u) != 0u, quad1_0_.x, ((_e112 & 2u) != 0u) ? _e108 : _e105, ((valid2_0_ >> 0u) & 1u) != 0u, ((quad3_0_ >> 0u) & 1u) != 0u);
    uint _e131 = mask;
    mask = _e131 | (static_cast<uint>(_e130.selected) << 0u);
    ulong _e152 = in2_[metal::min(unsigned(metal::min(base_0_ + 1u, last_1)), (_buffer_sizes.size5 - 0 - 8) / 8)];
    ulong _e155 = row_number(base_0_ + 1u, args);
    uint _e159 = args.inner[4].z;
    Row _e177 = row(base_0_ + 1u, quad0_0_.y, ((valid0_0_ >> 1u) & 1u) != 0u, quad1_0_.y, ((_e159 & 2u) != 0u) ? _e155 : _e152, ((valid2_0_ >> 1u) & 1u) != 0u, ((quad3_0_ >> 1u) & 1u) != 0u);
    uint _e178 = mask;
    mask = _e178 | (static_cast<uint>(_e177.selected) << 1u);
    ulong _e199 = in2_[metal::min(unsigned(metal::min(base_0_ + 2u, last_1)), (_buffer_sizes.size5 - 0 - 8) / 8)];
    ulong _e202 = row_number(base_0_ + 2u, args);
    uint _e206 = args.inner[4].z;
    Row _e224 = row(base_0_ + 2u, quad0_0_.z, ((valid0_0_ >> 2u) & 1u) != 0u, quad1_0_.z, ((_e206 & 2u) != 0u) ? _e202 : _e199, ((valid2_0_ >> 2u) & 1u) != 0u, ((quad3_0_ >> 2u) & 1u) != 0u);
    uint _e225 = mask;
    mask = _e225 | (static_cast<uint>(_e224.selected) << 2u);
    ulong _e246 = in2_[metal::min(unsigned(metal::min(base_0_ + 3u, last_1)), (_buffer_sizes.size5 - 0 - 8) / 8)];
    ulong _e249 = row_number(base_0_ + 3u, args);
// … 262 more lines with the checksum 79f8ae330089e97e
