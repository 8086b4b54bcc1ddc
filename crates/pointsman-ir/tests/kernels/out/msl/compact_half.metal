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
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef metal::uint4 type_5[1];
typedef ulong type_7[1];
typedef uint type_8[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    uint o0_;
    long o1_;
    bool q1_;
    bool o2_;
    bool q2_;
    char _pad7[5];
};
struct type_12 {
    uint inner[136];
};
struct type_13 {
    uint inner[8];
};
struct type_14 {
    uint inner[512];
};
struct type_15 {
    uint inner[1024];
};
struct type_16 {
    ulong inner[1024];
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

uint abs_f32_(
    uint a_2
) {
    return a_2 & 2147483647u;
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

Row row(
    uint r,
    uint c0_1,
    long c1_,
    bool d1_,
    bool c2_,
    bool d2_
) {
    bool bad = false;
    uint v0_ = {};
    long v1_ = {};
    bool n1_ = {};
    bool v2_ = {};
    bool n2_ = {};
    uint v3_ = 1056964608u;
    bool v4_ = {};
    v0_ = c0_1;
    v1_ = c1_;
    n1_ = d1_;
    v2_ = c2_;
    n2_ = d2_;
    uint _e15 = v0_;
    uint _e16 = v3_;
    bool _e17 = above_f32_(_e15, _e16);
    v4_ = _e17;
    bool _e19 = v4_;
    bool _e20 = bad;
    uint _e21 = v0_;
    long _e22 = v1_;
    bool _e23 = n1_;
    bool _e24 = v2_;
    bool _e25 = n2_;
    return Row {_e19, _e20, {}, _e21, _e22, _e23, _e24, _e25};
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
    device type_7 const& in1_,
    device type_8 const& inv1_,
    device type_8 const& in2_,
    device type_8 const& inv2_,
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
            uint _e229 = q;
            q = _e229 + 1u;
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
            uint _e41 = inv1_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e48 = args.inner[4].y;
            uint valid1_ = ((_e48 & 1u) != 0u) ? (_e41 >> (first_2 & 31u)) : 15u;
            uint _e58 = in2_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
            uint quad2_ = _e58 >> (first_2 & 31u);
            uint _e67 = inv2_[metal::min(unsigned(first_2 >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
            uint _e74 = args.inner[4].z;
            uint valid2_ = ((_e74 & 1u) != 0u) ? (_e67 >> (first_2 & 31u)) : 15u;
            {
                ulong _e88 = in1_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                Row _e108 = row(base + 0u, quad0_.x, as_type<long>(_e88), ((valid1_ >> 0u) & 1u) != 0u, ((quad2_ >> 0u) & 1u) != 0u, ((valid2_ >> 0u) & 1u) != 0u);
                uint _e109 = count_1;
                count_1 = _e109 + static_cast<uint>(((base + 0u) < rows) & _e108.selected);
            }
            {
                ulong _e125 = in1_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                Row _e145 = row(base + 1u, quad0_.y, as_type<long>(_e125), ((valid1_ >> 1u) & 1u) != 0u, ((quad2_ >> 1u) & 1u) != 0u, ((valid2_ >> 1u) & 1u) != 0u);
                uint _e146 = count_1;
                count_1 = _e146 + static_cast<uint>(((base + 1u) < rows) & _e145.selected);
            }
            {
                ulong _e162 = in1_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                Row _e182 = row(base + 2u, quad0_.z, as_type<long>(_e162), ((valid1_ >> 2u) & 1u) != 0u, ((quad2_ >> 2u) & 1u) != 0u, ((valid2_ >> 2u) & 1u) != 0u);
                uint _e183 = count_1;
                count_1 = _e183 + static_cast<uint>(((base + 2u) < rows) & _e182.selected);
            }
            {
                ulong _e199 = in1_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                Row _e219 = row(base + 3u, quad0_.w, as_type<long>(_e199), ((valid1_ >> 3u) & 1u) != 0u, ((quad2_ >> 3u) & 1u) != 0u, ((valid2_ >> 3u) & 1u) != 0u);
                uint _e220 = count_1;
                count_1 = _e220 + static_cast<uint>(((base + 3u) < rows) & _e219.selected);
            }
        }
    }
    uint _e232 = count_1;
    uint _e233 = metal::atomic_fetch_add_explicit(&shared_sum, _e232, metal::memory_order_relaxed);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_1 == 0u) {
        uint _e238 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e238;
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
    device type_7 const& in1_,
    device type_8 const& inv1_,
    device type_8 const& in2_,
    device type_8 const& inv2_,
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
                uint _e21 = metal::atomic_load_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size12 - 0 - 4) / 4)], metal::memory_order_relaxed);
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
        uint _e32 = count_tile(number - first, lane_3, args, in0_, in1_, inv1_, in2_, inv2_, shared_view, shared_sum, _buffer_sizes);
        if (lane_3 == 0u) {
            uint _e39 = metal::atomic_fetch_max_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size12 - 0 - 4) / 4)], 1073741824u | _e32, metal::memory_order_relaxed);
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
    device type_7 const& in1_,
    device type_8 const& inv1_,
    device type_8 const& in2_,
    device type_8 const& inv2_,
    device type_4& nodes,
    threadgroup type_12& shared_look,
    threadgroup type_13& shared_parts,
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
                uint _e29 = metal::atomic_load_explicit(&nodes[metal::min(unsigned((_e24 - 1u) - lane_4), (_buffer_sizes.size12 - 0 - 4) / 4)], metal::memory_order_relaxed);
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
                ask_for(_e103 - 1u, first_1, lane_4, args, in0_, in1_, inv1_, in2_, inv2_, nodes, shared_view, shared_sum, _buffer_sizes);
            }
        }
    }
    uint _e109 = sum;
    return _e109;
}

uint canonical_f32_(
    uint a_4
) {
    bool _e2 = is_nan_f32_(a_4);
    return _e2 ? 2143289344u : a_4;
}

struct compactInput {
};
[[max_total_threads_per_threadgroup(256)]] kernel void compact(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_7 const& in1_ [[user(fake0)]]
, device type_8 const& inv1_ [[user(fake0)]]
, device type_8 const& in2_ [[user(fake0)]]
, device type_8 const& inv2_ [[user(fake0)]]
, device type_8& out0_ [[user(fake0)]]
, device type_7& out1_ [[user(fake0)]]
, device type_4& outv1_ [[user(fake0)]]
, device type_4& out2_ [[user(fake0)]]
, device type_4& outv2_ [[user(fake0)]]
, device type_4& nodes [[user(fake0)]]
, threadgroup type_12& shared_look
, threadgroup type_13& shared_parts
, threadgroup uint& shared_view
, threadgroup metal::atomic_uint& shared_sum
, threadgroup type_14& shared_counts
, threadgroup type_13& shared_groups
, threadgroup type_15& stage0_
, threadgroup type_16& stage1_
, threadgroup type_15& stagev1_
, threadgroup type_15& stage2_
, threadgroup type_15& stagev2_
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
    uint _e44 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    uint _e51 = args.inner[4].y;
    uint valid1_0_ = ((_e51 & 1u) != 0u) ? (_e44 >> (first_0_ & 31u)) : 15u;
    uint _e61 = in2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size5 - 0 - 4) / 4)];
    uint quad2_0_ = _e61 >> (first_0_ & 31u);
    uint _e70 = inv2_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e77 = args.inner[4].z;
    uint valid2_0_ = ((_e77 & 1u) != 0u) ? (_e70 >> (first_0_ & 31u)) : 15u;
    ulong _e93 = in1_[metal::min(unsigned(metal::min(base_0_ + 0u, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
    Row _e113 = row(base_0_ + 0u, quad0_0_.x, as_type<long>(_e93), ((valid1_0_ >> 0u) & 1u) != 0u, ((quad2_0_ >> 0u) & 1u) != 0u, ((valid2_0_ >> 0u) & 1u) != 0u);
    uint _e114 = mask;
    mask = _e114 | (static_cast<uint>(_e113.selected) << 0u);
    ulong _e128 = in1_[metal::min(unsigned(metal::min(base_0_ + 1u, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
    Row _e148 = row(base_0_ + 1u, quad0_0_.y, as_type<long>(_e128), ((valid1_0_ >> 1u) & 1u) != 0u, ((quad2_0_ >> 1u) & 1u) != 0u, ((valid2_0_ >> 1u) & 1u) != 0u);
    uint _e149 = mask;
    mask = _e149 | (static_cast<uint>(_e148.selected) << 1u);
    ulong _e163 = in1_[metal::min(unsigned(metal::min(base_0_ + 2u, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
    Row _e183 = row(base_0_ + 2u, quad0_0_.z, as_type<long>(_e163), ((valid1_0_ >> 2u) & 1u) != 0u, ((quad2_0_ >> 2u) & 1u) != 0u, ((valid2_0_ >> 2u) & 1u) != 0u);
    uint _e184 = mask;
    mask = _e184 | (static_cast<uint>(_e183.selected) << 2u);
    ulong _e198 = in1_[metal::min(unsigned(metal::min(base_0_ + 3u, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
    Row _e218 = row(base_0_ + 3u, quad0_0_.w, as_type<long>(_e198), ((valid1_0_ >> 3u) & 1u) != 0u, ((quad2_0_ >> 3u) & 1u) != 0u, ((valid2_0_ >> 3u) & 1u) != 0u);
    uint _e219 = mask;
    mask = _e219 | (static_cast<uint>(_e218.selected) << 3u);
    if ((rows_1 - start) < 1024u) {
        uint _e230 = there;
        there = _e230 | (((1u << metal::min(rows_1 - metal::min(base_0_, rows_1), 4u)) - 1u) << 0u);
        uint _e242 = mask;
        uint _e243 = there;
        mask = _e242 & _e243;
    }
    uint _e245 = mask;
    uint _e246 = mask;
    uint pairs = _e245 - ((_e246 >> 1u) & 1431655765u);
    uint fours = (pairs & 858993459u) + ((pairs >> 2u) & 858993459u);
    uint own0_ = (fours >> 0u) & 252645135u;
    c0_ = own0_;
    shared_counts.inner[metal::min(unsigned(0u + lane), 511u)] = own0_;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init_5 = true;
    while(true) {
        if (!loop_init_5) {
// … 244 more lines with the checksum 961bc2d028263262
