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
};

struct type_2 {
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef ulong type_6[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[6];
    long o0_;
    bool q0_;
    char _pad4[7];
    long o1_;
    bool q1_;
    char _pad6[7];
};
struct type_9 {
    uint inner[128];
};
struct type_10 {
    uint inner[136];
};
struct type_11 {
    uint inner[8];
};

Row row(
    uint r,
    long c0_,
    long c1_
) {
    bool bad = false;
    long v0_ = {};
    long v1_ = {};
    long s2_0_ = {};
    bool t2_0_ = true;
    uint k2_ = 0u;
    long v3_ = {};
    long s4_0_ = {};
    bool t4_0_ = {};
    long s4_1_ = {};
    bool t4_1_ = {};
    uint k4_ = {};
    long v5_ = {};
    long v6_ = {};
    long v7_ = {};
    uint k8_ = {};
    uint v9_ = {};
    bool v10_ = {};
    long x4_0_ = {};
    bool y4_0_ = {};
    long x4_1_ = {};
    bool y4_1_ = {};
    long v11_ = {};
    long v12_ = {};
    long v13_ = {};
    long x2_0_ = {};
    bool y2_0_ = {};
    long v14_ = {};
    v0_ = c0_;
    v1_ = c1_;
    long _e7 = v0_;
    s2_0_ = _e7;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e85 = k2_;
            k2_ = _e85 + 1u;
        }
        loop_init = false;
        uint _e13 = k2_;
        if (_e13 < 8u) {
        } else {
            break;
        }
        {
            long _e16 = s2_0_;
            v3_ = _e16;
            long _e18 = v3_;
            s4_0_ = _e18;
            t4_0_ = true;
            long _e22 = v1_;
            s4_1_ = _e22;
            t4_1_ = true;
            k4_ = 0u;
            bool loop_init_1 = true;
            while(true) {
                if (!loop_init_1) {
                    uint _e68 = k4_;
                    k4_ = _e68 + 1u;
                }
                loop_init_1 = false;
                uint _e28 = k4_;
                if (_e28 < 16777216u) {
                } else {
                    break;
                }
                {
                    long _e31 = s4_0_;
                    v5_ = _e31;
                    long _e33 = v5_;
                    long _e34 = v3_;
                    v6_ = as_type<long>(as_type<ulong>(_e33) + as_type<ulong>(_e34));
                    long _e37 = s4_1_;
                    v7_ = _e37;
                    k8_ = 0u;
                    bool loop_init_2 = true;
                    while(true) {
                        if (!loop_init_2) {
                            uint _e47 = k8_;
                            k8_ = _e47 + 1u;
                        }
                        loop_init_2 = false;
                        uint _e41 = k8_;
                        if (_e41 < 1u) {
                        } else {
                            break;
                        }
                        {
                            uint _e44 = k8_;
                            v9_ = _e44;
                        }
                    }
                    long _e49 = v6_;
                    long _e50 = v7_;
                    v10_ = _e49 < _e50;
                    bool _e53 = v10_;
                    if (!(_e53)) {
                        break;
                    }
                    long _e55 = v6_;
                    x4_0_ = _e55;
                    y4_0_ = true;
                    long _e59 = v0_;
                    x4_1_ = _e59;
                    y4_1_ = true;
                    long _e63 = x4_0_;
                    s4_0_ = _e63;
                    bool _e64 = y4_0_;
                    t4_0_ = _e64;
                    long _e65 = x4_1_;
                    s4_1_ = _e65;
                    bool _e66 = y4_1_;
                    t4_1_ = _e66;
                }
            }
            long _e70 = s4_0_;
            v11_ = _e70;
            long _e72 = s4_1_;
            v12_ = _e72;
            long _e74 = v11_;
            long _e75 = v12_;
            v13_ = as_type<long>(as_type<ulong>(_e74) - as_type<ulong>(_e75));
            long _e78 = v13_;
            x2_0_ = _e78;
            y2_0_ = true;
            long _e82 = x2_0_;
            s2_0_ = _e82;
            bool _e83 = y2_0_;
            t2_0_ = _e83;
        }
    }
    long _e87 = s2_0_;
    v14_ = _e87;
    bool _e90 = bad;
    long _e91 = v14_;
    long _e93 = v0_;
    return Row {true, _e90, {}, _e91, true, {}, _e93, true};
}

uint places_before(
    uint lane_1,
    uint count,
    threadgroup type_9& shared_places
) {
    uint sum = {};
    uint h = 1u;
    sum = count;
    uint _e5 = sum;
    shared_places.inner[metal::min(unsigned(lane_1), 127u)] = _e5;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e27 = h;
            h = _e27 << 1u;
        }
        loop_init_3 = false;
        uint _e8 = h;
        if (_e8 < 128u) {
        } else {
            break;
        }
        {
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e13 = h;
            uint _e15 = h;
            uint _e18 = shared_places.inner[metal::min(unsigned(metal::max(lane_1, _e13) - _e15), 127u)];
            uint _e19 = h;
            uint left = (lane_1 >= _e19) ? _e18 : 0u;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e22 = sum;
            sum = _e22 + left;
            uint _e26 = sum;
            shared_places.inner[metal::min(unsigned(lane_1), 127u)] = _e26;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e30 = sum;
    return _e30 - count;
}

uint joined_words(
    uint near,
    uint far
) {
    return ((near >> 30u) == 1u) ? (far + (near & 1073741823u)) : near;
}

uint count_tile(
    uint tile,
    uint lane_2,
    constant type_2& args,
    device type_6 const& in0_,
    device type_6 const& in1_,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint count_1 = 0u;
    uint k_2 = 0u;
    uint rows = args.inner[0].x;
    uint last = rows - 1u;
    if (lane_2 == 0u) {
        metal::atomic_store_explicit(&shared_sum, 0u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init_4 = true;
    while(true) {
        if (!loop_init_4) {
            uint _e45 = k_2;
            k_2 = _e45 + 1u;
        }
        loop_init_4 = false;
        uint _e16 = k_2;
        if (_e16 < 32u) {
        } else {
            break;
        }
        {
            uint _e21 = k_2;
            uint r_1 = ((tile * 4096u) + (_e21 * 128u)) + lane_2;
            ulong _e30 = in0_[metal::min(unsigned(metal::min(r_1, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
            ulong _e35 = in1_[metal::min(unsigned(metal::min(r_1, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            Row _e37 = row(metal::min(r_1, last), as_type<long>(_e30), as_type<long>(_e35));
            uint _e38 = count_1;
            count_1 = _e38 + static_cast<uint>((r_1 < rows) & _e37.selected);
        }
    }
    uint _e48 = count_1;
    uint _e49 = metal::atomic_fetch_add_explicit(&shared_sum, _e48, metal::memory_order_relaxed);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_2 == 0u) {
        uint _e54 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e54;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return unnamed;
}

uint nearest_missing(
    uint state,
    uint lane_3,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum
) {
    if (lane_3 == 0u) {
        metal::atomic_store_explicit(&shared_sum, 128u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (state == 0u) {
        uint _e9 = metal::atomic_fetch_min_explicit(&shared_sum, lane_3, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_3 == 0u) {
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
    uint lane_4,
    constant type_2& args,
    device type_6 const& in0_,
    device type_6 const& in1_,
    device type_4& nodes,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint state_1 = 0u;
    uint i_1 = 0u;
    bool local = {};
    if (lane_4 == 0u) {
        bool loop_init_5 = true;
        while(true) {
            if (!loop_init_5) {
                uint _e23 = i_1;
                i_1 = _e23 + 1u;
            }
            loop_init_5 = false;
            uint _e9 = i_1;
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
                uint _e21 = metal::atomic_load_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size6 - 0 - 4) / 4)], metal::memory_order_relaxed);
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
        uint _e32 = count_tile(number - first, lane_4, args, in0_, in1_, shared_view, shared_sum, _buffer_sizes);
        if (lane_4 == 0u) {
            uint _e39 = metal::atomic_fetch_max_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size6 - 0 - 4) / 4)], 1073741824u | _e32, metal::memory_order_relaxed);
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
    uint lane_5,
    constant type_2& args,
    device type_6 const& in0_,
    device type_6 const& in1_,
    device type_4& nodes,
    threadgroup type_10& shared_look,
    threadgroup type_11& shared_parts,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint sum_1 = 0u;
    uint at = {};
    uint i_2 = 0u;
    bool local_1 = {};
    uint state_2 = {};
    uint part = {};
    uint k_3 = {};
    uint all = {};
    uint k_4 = {};
    at = number_1;
    bool loop_init_6 = true;
    while(true) {
        if (!loop_init_6) {
            uint _e107 = i_2;
            i_2 = _e107 + 1u;
        }
        loop_init_6 = false;
        uint _e8 = i_2;
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
            if (lane_5 < metal::min(_e19, 128u)) {
                uint _e24 = at;
                uint _e29 = metal::atomic_load_explicit(&nodes[metal::min(unsigned((_e24 - 1u) - lane_5), (_buffer_sizes.size6 - 0 - 4) / 4)], metal::memory_order_relaxed);
                state_2 = _e29;
            }
            if (lane_5 < 128u) {
                uint _e37 = state_2;
                shared_look.inner[metal::min(unsigned(lane_5 + (lane_5 / 16u)), 135u)] = _e37;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane_5 < 8u) {
                part = 1073741824u;
                k_3 = 0u;
                bool loop_init_7 = true;
                while(true) {
                    if (!loop_init_7) {
                        uint _e57 = k_3;
                        k_3 = _e57 + 1u;
                    }
                    loop_init_7 = false;
                    uint _e44 = k_3;
                    if (_e44 < 16u) {
                    } else {
                        break;
                    }
                    {
                        uint _e47 = part;
                        uint _e51 = k_3;
                        uint _e54 = shared_look.inner[metal::min(unsigned((lane_5 * 17u) + _e51), 135u)];
                        uint _e55 = joined_words(_e47, _e54);
                        part = _e55;
                    }
                }
                uint _e61 = part;
                shared_parts.inner[metal::min(unsigned(lane_5), 7u)] = _e61;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane_5 == 0u) {
                all = 1073741824u;
                k_4 = 0u;
                bool loop_init_8 = true;
                while(true) {
                    if (!loop_init_8) {
                        uint _e78 = k_4;
                        k_4 = _e78 + 1u;
                    }
                    loop_init_8 = false;
                    uint _e68 = k_4;
                    if (_e68 < 8u) {
                    } else {
                        break;
                    }
                    {
                        uint _e71 = all;
                        uint _e73 = k_4;
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
            uint _e84 = sum_1;
            sum_1 = _e84 + (unnamed_3 & 1073741823u);
            if ((unnamed_3 >> 30u) == 2u) {
                break;
            }
            if ((unnamed_3 >> 30u) == 1u) {
                uint _e96 = at;
                at = _e96 - 128u;
            } else {
                uint _e99 = at;
                uint _e100 = state_2;
                uint _e101 = nearest_missing(_e100, lane_5, shared_view, shared_sum);
                at = _e99 - _e101;
                uint _e103 = at;
                ask_for(_e103 - 1u, first_1, lane_5, args, in0_, in1_, nodes, shared_view, shared_sum, _buffer_sizes);
            }
        }
    }
    uint _e109 = sum_1;
    return _e109;
}

struct compactInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void compact(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_6 const& in1_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_6& out1_ [[user(fake0)]]
, device type_4& nodes [[user(fake0)]]
, threadgroup type_9& shared_places
, threadgroup type_10& shared_look
, threadgroup type_11& shared_parts
, threadgroup uint& shared_view
, threadgroup metal::atomic_uint& shared_sum
, threadgroup type_9& shared_masks
, threadgroup type_9& shared_words
, threadgroup uint& shared_count
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint mask = 0u;
    uint k = 0u;
    uint word = 0u;
    uint i = 0u;
    uint k_1 = 0u;
    uint _e7 = args.inner[0].w;
    uint leaf = group.x + (group.y * _e7);
    uint rows_1 = args.inner[0].x;
    uint start = leaf * 4096u;
    if (start >= rows_1) {
        return;
    }
    uint last_1 = rows_1 - 1u;
    bool loop_init_9 = true;
    while(true) {
        if (!loop_init_9) {
            uint _e142 = k;
            k = _e142 + 4u;
        }
        loop_init_9 = false;
        uint _e23 = k;
        if (_e23 < 32u) {
        } else {
            break;
        }
        {
            uint _e26 = k;
            uint r0_ = (start + ((_e26 + 0u) * 128u)) + lane;
            ulong _e37 = in0_[metal::min(unsigned(metal::min(r0_, last_1)), (_buffer_sizes.size2 - 0 - 8) / 8)];
            ulong _e42 = in1_[metal::min(unsigned(metal::min(r0_, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            Row _e44 = row(metal::min(r0_, last_1), as_type<long>(_e37), as_type<long>(_e42));
            uint _e45 = k;
            uint r1_ = (start + ((_e45 + 1u) * 128u)) + lane;
            ulong _e56 = in0_[metal::min(unsigned(metal::min(r1_, last_1)), (_buffer_sizes.size2 - 0 - 8) / 8)];
            ulong _e61 = in1_[metal::min(unsigned(metal::min(r1_, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            Row _e63 = row(metal::min(r1_, last_1), as_type<long>(_e56), as_type<long>(_e61));
            uint _e64 = k;
            uint r2_ = (start + ((_e64 + 2u) * 128u)) + lane;
            ulong _e75 = in0_[metal::min(unsigned(metal::min(r2_, last_1)), (_buffer_sizes.size2 - 0 - 8) / 8)];
            ulong _e80 = in1_[metal::min(unsigned(metal::min(r2_, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            Row _e82 = row(metal::min(r2_, last_1), as_type<long>(_e75), as_type<long>(_e80));
            uint _e83 = k;
            uint r3_ = (start + ((_e83 + 3u) * 128u)) + lane;
            ulong _e94 = in0_[metal::min(unsigned(metal::min(r3_, last_1)), (_buffer_sizes.size2 - 0 - 8) / 8)];
            ulong _e99 = in1_[metal::min(unsigned(metal::min(r3_, last_1)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            Row _e101 = row(metal::min(r3_, last_1), as_type<long>(_e94), as_type<long>(_e99));
            uint _e102 = mask;
            uint _e107 = k;
            mask = _e102 | (static_cast<uint>((r0_ < rows_1) & _e44.selected) << (_e107 + 0u));
            uint _e112 = mask;
            uint _e117 = k;
            mask = _e112 | (static_cast<uint>((r1_ < rows_1) & _e63.selected) << (_e117 + 1u));
            uint _e122 = mask;
            uint _e127 = k;
// … 89 more lines with the checksum 781dc4d856698469
