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
};

struct type_2 {
    metal::uint4 inner[6];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
typedef uint type_6[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    int o0_;
    bool o1_;
    bool q1_;
    char _pad5[2];
};
struct type_10 {
    uint inner[136];
};
struct type_11 {
    uint inner[8];
};
struct type_12 {
    uint inner[1024];
};
struct type_13 {
    uint inner[2048];
};

int div_i32_(
    int a,
    int b,
    thread bool& f
) {
    bool local_8 = {};
    bool local_9 = {};
    if (!((b == 0))) {
        if (a == (-2147483647 - 1)) {
            local_9 = b == -1;
        } else {
            local_9 = false;
        }
        bool _e15 = local_9;
        local_8 = _e15;
    } else {
        local_8 = true;
    }
    bool _e17 = local_8;
    if (_e17) {
        f = true;
        return 0;
    }
    return a / b;
}

int rem_i32_(
    int a_1,
    int b_1,
    thread bool& f_1
) {
    if (b_1 == 0) {
        f_1 = true;
        return 0;
    }
    if (b_1 == -1) {
        return 0;
    }
    return a_1 % b_1;
}

Row row(
    uint r,
    int c0_1,
    int c1_1,
    bool c2_,
    bool d2_,
    constant type_2& args
) {
    bool bad = false;
    int v0_ = {};
    int v1_ = {};
    bool v2_ = {};
    bool n2_ = {};
    int v3_ = {};
    int v4_ = {};
    bool v5_ = {};
    bool e6_ = false;
    int v6_ = {};
    int v7_ = {};
    bool e8_ = false;
    int v8_ = {};
    bool v9_ = {};
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool v10_ = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    bool local_16 = {};
    bool local_17 = {};
    bool n10_ = {};
    bool v11_ = true;
    bool v12_ = {};
    bool v13_ = {};
    bool local_18 = {};
    bool local_19 = {};
    bool local_20 = {};
    bool local_21 = {};
    v0_ = c0_1;
    v1_ = c1_1;
    v2_ = c2_;
    n2_ = d2_;
    uint _e14 = args.inner[4].x;
    v3_ = as_type<int>(_e14);
    int _e17 = v1_;
    int _e18 = v1_;
    v4_ = as_type<int>(as_type<uint>(_e17) - as_type<uint>(_e18));
    int _e21 = v1_;
    int _e22 = v4_;
    v5_ = _e21 == _e22;
    int _e27 = v0_;
    int _e28 = v1_;
    int _e29 = div_i32_(_e27, _e28, e6_);
    v6_ = _e29;
    int _e31 = v6_;
    int _e32 = v3_;
    bool _e33 = v5_;
    v7_ = _e33 ? _e32 : _e31;
    int _e38 = v0_;
    int _e39 = v1_;
    int _e40 = rem_i32_(_e38, _e39, e8_);
    v8_ = _e40;
    int _e42 = v8_;
    int _e43 = v3_;
    v9_ = _e42 > _e43;
    bool _e46 = n2_;
    if (_e46) {
        bool _e49 = v2_;
        local_10 = !(_e49);
    } else {
        local_10 = false;
    }
    bool _e52 = local_10;
    if (!(_e52)) {
        if (true) {
            bool _e59 = v9_;
            local_12 = !(_e59);
        } else {
            local_12 = false;
        }
        bool _e62 = local_12;
        local_11 = _e62;
    } else {
        local_11 = true;
    }
    bool _e64 = local_11;
    v10_ = !(_e64);
    bool _e67 = n2_;
    if (_e67) {
        local_13 = true;
    } else {
        local_13 = false;
    }
    bool _e72 = local_13;
    if (!(_e72)) {
        bool _e76 = n2_;
        if (_e76) {
            bool _e79 = v2_;
            local_15 = !(_e79);
        } else {
            local_15 = false;
        }
        bool _e82 = local_15;
        local_14 = _e82;
    } else {
        local_14 = true;
    }
    bool _e84 = local_14;
    if (!(_e84)) {
        if (true) {
            bool _e91 = v9_;
            local_17 = !(_e91);
        } else {
            local_17 = false;
        }
        bool _e94 = local_17;
        local_16 = _e94;
    } else {
        local_16 = true;
    }
    bool _e96 = local_16;
    n10_ = _e96;
    bool _e100 = v11_;
    bool _e101 = v2_;
    bool _e102 = n2_;
    v12_ = _e102 ? _e101 : _e100;
    bool _e105 = v5_;
    v13_ = !(_e105);
    bool _e108 = bad;
    if (!(_e108)) {
        bool _e112 = e6_;
        if (_e112) {
            bool _e115 = v13_;
            local_19 = _e115;
        } else {
            local_19 = false;
        }
        bool _e117 = local_19;
        local_18 = _e117;
    } else {
        local_18 = true;
    }
    bool _e119 = local_18;
    bad = _e119;
    bool _e120 = bad;
    if (!(_e120)) {
        bool _e124 = e8_;
        if (_e124) {
            bool _e127 = v12_;
            local_21 = _e127;
        } else {
            local_21 = false;
        }
        bool _e129 = local_21;
        local_20 = _e129;
    } else {
        local_20 = true;
    }
    bool _e131 = local_20;
    bad = _e131;
    bool _e133 = bad;
    int _e134 = v7_;
    bool _e135 = v10_;
    bool _e136 = n10_;
    return Row {true, _e133, {}, _e134, _e135, _e136};
}

uint joined_words(
    uint near,
    uint far
) {
    return ((near >> 30u) == 1u) ? (far + (near & 1073741823u)) : near;
}

uint count_tile(
    uint tile,
    uint lane_1,
    constant type_2& args,
    device type_5 const& in0_,
    device type_5 const& in1_,
    device type_6 const& in2_,
    device type_6 const& inv2_,
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
            uint _e176 = q;
            q = _e176 + 1u;
        }
        loop_init = false;
        uint _e16 = q;
        if (_e16 < 2u) {
        } else {
            break;
        }
        {
            uint _e21 = q;
            uint base = (tile * 2048u) + (((_e21 * 256u) + lane_1) * 4u);
            uint first_2 = metal::min(base, last & 4294967292u);
            metal::uint4 quad0_ = in0_[metal::min(unsigned(first_2 >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_ = in1_[metal::min(unsigned(first_2 >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e45 = in2_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint quad2_ = _e45 >> (first_2 & 31u);
            uint _e54 = inv2_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint _e61 = args.inner[5].z;
            uint valid2_ = ((_e61 & 1u) != 0u) ? (_e54 >> (first_2 & 31u)) : 15u;
            {
                Row _e85 = row(base + 0u, as_type<int>(quad0_.x), as_type<int>(quad1_.x), ((quad2_ >> 0u) & 1u) != 0u, ((valid2_ >> 0u) & 1u) != 0u, args);
                uint _e86 = count_1;
                count_1 = _e86 + static_cast<uint>(((base + 0u) < rows) & _e85.selected);
            }
            {
                Row _e112 = row(base + 1u, as_type<int>(quad0_.y), as_type<int>(quad1_.y), ((quad2_ >> 1u) & 1u) != 0u, ((valid2_ >> 1u) & 1u) != 0u, args);
                uint _e113 = count_1;
                count_1 = _e113 + static_cast<uint>(((base + 1u) < rows) & _e112.selected);
            }
            {
                Row _e139 = row(base + 2u, as_type<int>(quad0_.z), as_type<int>(quad1_.z), ((quad2_ >> 2u) & 1u) != 0u, ((valid2_ >> 2u) & 1u) != 0u, args);
                uint _e140 = count_1;
                count_1 = _e140 + static_cast<uint>(((base + 2u) < rows) & _e139.selected);
            }
            {
                Row _e166 = row(base + 3u, as_type<int>(quad0_.w), as_type<int>(quad1_.w), ((quad2_ >> 3u) & 1u) != 0u, ((valid2_ >> 3u) & 1u) != 0u, args);
                uint _e167 = count_1;
                count_1 = _e167 + static_cast<uint>(((base + 3u) < rows) & _e166.selected);
            }
        }
    }
    uint _e179 = count_1;
    uint _e180 = metal::atomic_fetch_add_explicit(&shared_sum, _e179, metal::memory_order_relaxed);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_1 == 0u) {
        uint _e185 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e185;
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
    device type_5 const& in1_,
    device type_6 const& in2_,
    device type_6 const& inv2_,
    device type_4& nodes,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint state_1 = 0u;
    uint i = 0u;
    bool local_22 = {};
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
                local_22 = _e14 == 0u;
            } else {
                local_22 = false;
            }
            bool _e18 = local_22;
            if (_e18) {
            } else {
                break;
            }
            {
                uint _e21 = metal::atomic_load_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size9 - 0 - 4) / 4)], metal::memory_order_relaxed);
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
        uint _e32 = count_tile(number - first, lane_3, args, in0_, in1_, in2_, inv2_, shared_view, shared_sum, _buffer_sizes);
        if (lane_3 == 0u) {
            uint _e39 = metal::atomic_fetch_max_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size9 - 0 - 4) / 4)], 1073741824u | _e32, metal::memory_order_relaxed);
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
    device type_5 const& in1_,
    device type_6 const& in2_,
    device type_6 const& inv2_,
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
    bool local_23 = {};
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
            local_23 = number_1 > 0u;
        } else {
            local_23 = false;
        }
        bool _e16 = local_23;
        if (_e16) {
        } else {
            break;
        }
        {
            state_2 = 2147483648u;
            uint _e19 = at;
            if (lane_4 < metal::min(_e19, 128u)) {
                uint _e24 = at;
                uint _e29 = metal::atomic_load_explicit(&nodes[metal::min(unsigned((_e24 - 1u) - lane_4), (_buffer_sizes.size9 - 0 - 4) / 4)], metal::memory_order_relaxed);
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
                ask_for(_e103 - 1u, first_1, lane_4, args, in0_, in1_, in2_, inv2_, nodes, shared_view, shared_sum, _buffer_sizes);
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
, device type_4& status [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_6 const& in2_ [[user(fake0)]]
, device type_6 const& inv2_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_4& out1_ [[user(fake0)]]
, device type_4& outv1_ [[user(fake0)]]
, device type_4& nodes [[user(fake0)]]
, threadgroup type_10& shared_look
, threadgroup type_11& shared_parts
, threadgroup uint& shared_view
, threadgroup metal::atomic_uint& shared_sum
, threadgroup type_12& shared_counts
, threadgroup type_11& shared_groups
, threadgroup type_13& stage0_
, threadgroup type_13& stage1_
, threadgroup type_13& stagev1_
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint mask = 0u;
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    uint there = 0u;
    uint c0_ = {};
    uint c1_ = {};
    uint half_ = 0u;
    uint h = 1u;
    uint ahead = 0u;
    uint count = 0u;
    uint g = 0u;
    uint at0_ = {};
    uint at1_ = {};
    uint k = 0u;
    uint rows_1 = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint tile_1 = group.x + (group.y * _e11);
    uint start = tile_1 * 2048u;
    if (start >= rows_1) {
        return;
    }
    uint last_1 = rows_1 - 1u;
    uint own = (start + ((lane >> 5u) * 256u)) + ((lane & 31u) * 4u);
    uint base_0_ = own + 0u;
    uint first_0_ = metal::min(base_0_, last_1 & 4294967292u);
    metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
    metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
    uint _e48 = in2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    uint quad2_0_ = _e48 >> (first_0_ & 31u);
    uint _e57 = inv2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
    uint _e64 = args.inner[5].z;
    uint valid2_0_ = ((_e64 & 1u) != 0u) ? (_e57 >> (first_0_ & 31u)) : 15u;
    uint base_1_ = own + 128u;
    uint first_1_ = metal::min(base_1_, last_1 & 4294967292u);
// … 394 more lines with the checksum dee5ef4d15555094
