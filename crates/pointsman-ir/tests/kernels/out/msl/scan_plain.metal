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
    metal::uint4 f0_;
    uint count;
    char _pad2[12];
};
struct type_7 {
    uint inner[256];
};
struct type_8 {
    uint inner[16];
};
struct type_9 {
    metal::uint4 inner[256];
};
struct type_10 {
    metal::uint4 inner[16];
};
struct type_11 {
    uint inner[128];
};
struct type_14 {
    Node inner[256];
};

Row row(
    uint r,
    uint c0_
) {
    bool bad = false;
    uint v0_ = {};
    v0_ = c0_;
    bool _e6 = bad;
    uint _e7 = v0_;
    return Row {true, _e6, {}, _e7, true};
}

Node no_node(
) {
    return Node {metal::uint4 {}, 0u};
}

metal::uint4 add_128_(
    metal::uint4 a,
    metal::uint4 b
) {
    uint x_1 = a.x + b.x;
    uint c0_1 = static_cast<uint>(x_1 < a.x);
    uint y0_1 = a.y + b.y;
    uint y = y0_1 + c0_1;
    uint c1_ = static_cast<uint>(y0_1 < a.y) + static_cast<uint>(y < y0_1);
    uint z0_ = a.z + b.z;
    uint z = z0_ + c1_;
    uint c2_ = static_cast<uint>(z0_ < a.z) + static_cast<uint>(z < z0_);
    return metal::uint4(x_1, y, z, (a.w + b.w) + c2_);
}

Node append(
    Node a_1,
    Node b_1
) {
    Node r_1 = {};
    r_1 = b_1;
    metal::uint4 _e6 = add_128_(a_1.f0_, b_1.f0_);
    r_1.f0_ = _e6;
    r_1.count = a_1.count + b_1.count;
    Node _e11 = r_1;
    return _e11;
}

Node get_node(
    uint i_20,
    device type_5 const& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_2 = i_20 * 5u;
    uint _e9 = nodes[metal::min(unsigned((at_2 + 0u) + 0u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    uint _e16 = nodes[metal::min(unsigned((at_2 + 0u) + 1u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    uint _e23 = nodes[metal::min(unsigned((at_2 + 0u) + 2u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    uint _e30 = nodes[metal::min(unsigned((at_2 + 0u) + 3u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    uint _e36 = nodes[metal::min(unsigned(at_2 + 4u), (_buffer_sizes.size4 - 0 - 4) / 4)];
    return Node {metal::uint4(_e9, _e16, _e23, _e30), _e36};
}

void put_node(
    uint i_21,
    Node n,
    device type_5& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_3 = i_21 * 5u;
    nodes[metal::min(unsigned((at_3 + 0u) + 0u), (_buffer_sizes.size4 - 0 - 4) / 4)] = n.f0_.x;
    nodes[metal::min(unsigned((at_3 + 0u) + 1u), (_buffer_sizes.size4 - 0 - 4) / 4)] = n.f0_.y;
    nodes[metal::min(unsigned((at_3 + 0u) + 2u), (_buffer_sizes.size4 - 0 - 4) / 4)] = n.f0_.z;
    nodes[metal::min(unsigned((at_3 + 0u) + 3u), (_buffer_sizes.size4 - 0 - 4) / 4)] = n.f0_.w;
    nodes[metal::min(unsigned(at_3 + 4u), (_buffer_sizes.size4 - 0 - 4) / 4)] = n.count;
    return;
}

uint scan_starts(
    uint g
) {
    uint s = {};
    s = g;
    uint _e2 = s;
    uint _e3 = s;
    s = _e2 | ((_e3 << 1u) & 65535u);
    uint _e9 = s;
    uint _e10 = s;
    s = _e9 | ((_e10 << 2u) & 65535u);
    uint _e16 = s;
    uint _e17 = s;
    s = _e16 | ((_e17 << 4u) & 65535u);
    uint _e23 = s;
    uint _e24 = s;
    s = _e23 | ((_e24 << 8u) & 65535u);
    uint _e30 = s;
    return _e30;
}

uint places_before(
    uint lane_4,
    uint count,
    threadgroup type_11& shared_places
) {
    uint sum_1 = {};
    uint h = 1u;
    sum_1 = count;
    uint _e5 = sum_1;
    shared_places.inner[metal::min(unsigned(lane_4), 127u)] = _e5;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e27 = h;
            h = _e27 << 1u;
        }
        loop_init = false;
        uint _e8 = h;
        if (_e8 < 128u) {
        } else {
            break;
        }
        {
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e13 = h;
            uint _e15 = h;
            uint _e18 = shared_places.inner[metal::min(unsigned(metal::max(lane_4, _e13) - _e15), 127u)];
            uint _e19 = h;
            uint left = (lane_4 >= _e19) ? _e18 : 0u;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e22 = sum_1;
            sum_1 = _e22 + left;
            uint _e26 = sum_1;
            shared_places.inner[metal::min(unsigned(lane_4), 127u)] = _e26;
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e30 = sum_1;
    return _e30 - count;
}

metal::uint4 widened_u8_(
    uint v
) {
    return metal::uint4(v, 0u, 0u, 0u);
}

void scan_sum_128_(
    thread type_10& x,
    uint starts_2
) {
    uint g_1 = {};
    uint s_1 = 1u;
    uint i_22 = {};
    g_1 = starts_2;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e41 = s_1;
            s_1 = _e41 << 1u;
        }
        loop_init_1 = false;
        uint _e5 = s_1;
        if (_e5 < 16u) {
        } else {
            break;
        }
        {
            i_22 = 15u;
            bool loop_init_2 = true;
            while(true) {
                if (!loop_init_2) {
                    uint _e32 = i_22;
                    i_22 = _e32 - 1u;
                }
                loop_init_2 = false;
                uint _e10 = i_22;
                uint _e11 = s_1;
                if (_e10 >= _e11) {
                } else {
                    break;
                }
                {
                    uint _e13 = g_1;
                    uint _e14 = i_22;
                    if (((_e13 >> _e14) & 1u) == 0u) {
                        uint _e20 = i_22;
                        uint _e22 = i_22;
                        uint _e23 = s_1;
                        metal::uint4 _e26 = x.inner[metal::min(unsigned(_e22 - _e23), 15u)];
                        uint _e27 = i_22;
                        metal::uint4 _e29 = x.inner[metal::min(unsigned(_e27), 15u)];
                        metal::uint4 _e30 = add_128_(_e26, _e29);
                        x.inner[metal::min(unsigned(_e20), 15u)] = _e30;
                    }
                }
            }
            uint _e34 = g_1;
            uint _e35 = g_1;
            uint _e36 = s_1;
            g_1 = _e34 | ((_e35 << _e36) & 65535u);
        }
    }
    return;
}

uint level_nodes(
    uint b_2,
    constant type_2& args
) {
    uint _e4 = args.inner[2].x;
    uint _e8 = args.inner[2].y;
    uint _e16 = args.inner[2].x;
    return ((((_e4 + _e8) - 1u) >> b_2) - (_e16 >> b_2)) + 1u;
}

uint level_start(
    uint b_3,
    constant type_2& args
) {
    uint at_1 = 0u;
    uint i_23 = 0u;
    bool loop_init_3 = true;
    while(true) {
        if (!loop_init_3) {
            uint _e12 = i_23;
            i_23 = _e12 + 1u;
        }
        loop_init_3 = false;
        uint _e5 = i_23;
        if (_e5 < b_3) {
        } else {
            break;
        }
        {
            uint _e7 = at_1;
            uint _e8 = i_23;
            uint _e9 = level_nodes(_e8, args);
            at_1 = _e7 + _e9;
        }
    }
    uint _e14 = at_1;
    return _e14;
}

bool fits_u8_(
    metal::uint4 w
) {
    return ((((w.x >> 8u) | w.y) | w.z) | w.w) == 0u;
}

struct leavesInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void leaves(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5& nodes [[user(fake0)]]
, threadgroup type_7& shared_starts
, threadgroup type_8& shared_group_starts
, threadgroup type_9& groups_vec4_u32_
, threadgroup type_10& outer_vec4_u32_
, threadgroup type_11& shared_places
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint selected = 0u;
    uint starts = 0u;
    type_10 a0_ = {};
    type_10 b0_ = {};
    uint i = 0u;
    uint i_1 = 0u;
    uint group_starts = 0u;
    uint i_2 = 0u;
    uint outer_starts = 0u;
    uint i_3 = 0u;
    bool local = {};
    bool local_1 = {};
    type_10 t = {};
    uint i_4 = 0u;
    uint i_5 = 0u;
    type_10 t_1 = {};
    uint i_6 = 0u;
    uint i_7 = 0u;
    metal::uint4 u0_ = metal::uint4 {};
    metal::uint4 w0_ = metal::uint4 {};
    uint rows = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint leaf = group.x + (group.y * _e11);
    uint start = leaf * 4096u;
    if (start >= rows) {
        return;
    }
    bool loop_init_4 = true;
    while(true) {
        if (!loop_init_4) {
            uint _e35 = i;
            i = _e35 + 1u;
        }
        loop_init_4 = false;
        uint _e25 = i;
        if (_e25 < 16u) {
        } else {
            break;
        }
        {
            uint _e28 = i;
            a0_.inner[metal::min(unsigned(_e28), 15u)] = metal::uint4 {};
            uint _e31 = i;
            b0_.inner[metal::min(unsigned(_e31), 15u)] = metal::uint4 {};
        }
    }
    bool loop_init_5 = true;
    while(true) {
        if (!loop_init_5) {
            uint _e87 = i_1;
            i_1 = _e87 + 1u;
        }
        loop_init_5 = false;
        uint _e39 = i_1;
        if (_e39 < 32u) {
        } else {
            break;
        }
        {
            uint _e45 = i_1;
            uint r_2 = (start + (lane * 32u)) + _e45;
            if (r_2 < rows) {
                uint _e52 = in0_[metal::min(unsigned(r_2 >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
                Row _e60 = row(r_2, (_e52 >> ((r_2 & 3u) * 8u)) & 255u);
                if (_e60.selected) {
                    uint _e62 = selected;
                    uint _e64 = i_1;
                    selected = _e62 | (1u << _e64);
                    uint _e67 = i_1;
                    if (_e67 < 16u) {
                        uint _e70 = i_1;
                        metal::uint4 _e74 = widened_u8_(_e60.x0_);
                        a0_.inner[metal::min(unsigned(_e70), 15u)] = _e60.y0_ ? _e74 : metal::uint4 {};
                    } else {
                        uint _e77 = i_1;
                        metal::uint4 _e83 = widened_u8_(_e60.x0_);
                        b0_.inner[metal::min(unsigned(_e77 & 15u), 15u)] = _e60.y0_ ? _e83 : metal::uint4 {};
                    }
                }
            }
        }
    }
    uint _e89 = starts;
    uint _e92 = scan_starts(_e89 & 65535u);
    uint _e93 = starts;
    uint _e96 = scan_starts(_e93 >> 16u);
    shared_starts.inner[metal::min(unsigned(2u * lane), 255u)] = (_e92 >> 15u) & 1u;
    shared_starts.inner[metal::min(unsigned((2u * lane) + 1u), 255u)] = (_e96 >> 15u) & 1u;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init_6 = true;
    while(true) {
        if (!loop_init_6) {
            uint _e136 = i_2;
            i_2 = _e136 + 1u;
        }
        loop_init_6 = false;
        uint _e119 = i_2;
        if (_e119 < 16u) {
        } else {
            break;
        }
        {
            uint _e122 = group_starts;
            uint _e128 = i_2;
            uint _e131 = shared_starts.inner[metal::min(unsigned(((lane & 15u) * 16u) + _e128), 255u)];
            uint _e132 = i_2;
            group_starts = _e122 | (_e131 << _e132);
        }
    }
    uint _e142 = group_starts;
    shared_group_starts.inner[metal::min(unsigned(lane & 15u), 15u)] = _e142;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init_7 = true;
    while(true) {
        if (!loop_init_7) {
            uint _e162 = i_3;
            i_3 = _e162 + 1u;
        }
        loop_init_7 = false;
        uint _e147 = i_3;
        if (_e147 < 16u) {
        } else {
            break;
        }
        {
            uint _e150 = outer_starts;
            uint _e152 = i_3;
            uint _e154 = shared_group_starts.inner[metal::min(unsigned(_e152), 15u)];
            uint _e158 = i_3;
            outer_starts = _e150 | (static_cast<uint>(_e154 != 0u) << _e158);
        }
    }
    uint _e164 = outer_starts;
    uint _e165 = scan_starts(_e164);
    uint _e170 = shared_group_starts.inner[metal::min(unsigned(lane >> 3u), 15u)];
    uint _e171 = scan_starts(_e170);
    uint at_4 = (2u * lane) & 15u;
    if (at_4 != 0u) {
        local = ((_e171 >> (metal::max(at_4, 1u) - 1u)) & 1u) != 0u;
    } else {
        local = false;
    }
    bool su = local;
    bool sv = ((_e171 >> at_4) & 1u) != 0u;
    if (lane >= 8u) {
        local_1 = ((_e165 >> (metal::max(lane >> 3u, 1u) - 1u)) & 1u) != 0u;
    } else {
        local_1 = false;
    }
    bool sw = local_1;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e213 = starts;
    scan_sum_128_(a0_, _e213 & 65535u);
    uint _e216 = starts;
    scan_sum_128_(b0_, _e216 >> 16u);
    metal::uint4 _e224 = a0_.inner[15];
    groups_vec4_u32_.inner[metal::min(unsigned(2u * lane), 255u)] = _e224;
    metal::uint4 _e232 = b0_.inner[15];
    groups_vec4_u32_.inner[metal::min(unsigned((2u * lane) + 1u), 255u)] = _e232;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane < 16u) {
        bool loop_init_8 = true;
        while(true) {
            if (!loop_init_8) {
                uint _e251 = i_4;
                i_4 = _e251 + 1u;
            }
            loop_init_8 = false;
            uint _e238 = i_4;
            if (_e238 < 16u) {
            } else {
                break;
            }
            {
                uint _e241 = i_4;
                uint _e246 = i_4;
                metal::uint4 _e249 = groups_vec4_u32_.inner[metal::min(unsigned((lane * 16u) + _e246), 255u)];
                t.inner[metal::min(unsigned(_e241), 15u)] = _e249;
            }
        }
        uint _e253 = group_starts;
        scan_sum_128_(t, _e253);
        bool loop_init_9 = true;
        while(true) {
            if (!loop_init_9) {
                uint _e269 = i_5;
                i_5 = _e269 + 1u;
            }
            loop_init_9 = false;
            uint _e256 = i_5;
            if (_e256 < 16u) {
            } else {
                break;
            }
            {
                uint _e262 = i_5;
                uint _e265 = i_5;
                metal::uint4 _e267 = t.inner[metal::min(unsigned(_e265), 15u)];
                groups_vec4_u32_.inner[metal::min(unsigned((lane * 16u) + _e262), 255u)] = _e267;
            }
        }
        metal::uint4 _e274 = t.inner[15];
        outer_vec4_u32_.inner[metal::min(unsigned(lane), 15u)] = _e274;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane == 0u) {
        bool loop_init_10 = true;
        while(true) {
            if (!loop_init_10) {
                uint _e290 = i_6;
                i_6 = _e290 + 1u;
            }
            loop_init_10 = false;
            uint _e280 = i_6;
            if (_e280 < 16u) {
            } else {
                break;
            }
            {
                uint _e283 = i_6;
                uint _e286 = i_6;
                metal::uint4 _e288 = outer_vec4_u32_.inner[metal::min(unsigned(_e286), 15u)];
                t_1.inner[metal::min(unsigned(_e283), 15u)] = _e288;
            }
        }
        uint _e292 = outer_starts;
        scan_sum_128_(t_1, _e292);
        bool loop_init_11 = true;
        while(true) {
            if (!loop_init_11) {
                uint _e305 = i_7;
                i_7 = _e305 + 1u;
            }
            loop_init_11 = false;
            uint _e295 = i_7;
            if (_e295 < 16u) {
            } else {
                break;
            }
            {
                uint _e299 = i_7;
                uint _e301 = i_7;
                metal::uint4 _e303 = t_1.inner[metal::min(unsigned(_e301), 15u)];
                outer_vec4_u32_.inner[metal::min(unsigned(_e299), 15u)] = _e303;
            }
        }
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (((2u * lane) & 15u) != 0u) {
        metal::uint4 _e321 = groups_vec4_u32_.inner[metal::min(unsigned((2u * lane) - 1u), 255u)];
        u0_ = _e321;
    }
    metal::uint4 v0_1 = groups_vec4_u32_.inner[metal::min(unsigned(2u * lane), 255u)];
    if (lane >= 8u) {
        metal::uint4 _e337 = outer_vec4_u32_.inner[metal::min(unsigned((lane >> 3u) - 1u), 15u)];
        w0_ = _e337;
    }
    metal::uint4 total0_ = outer_vec4_u32_.inner[15];
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint _e341 = selected;
    uint _e343 = places_before(lane, metal::popcount(_e341), shared_places);
    if (lane == 127u) {
        uint _e349 = args.inner[1].x;
        uint _e351 = selected;
        put_node(_e349 + leaf, Node {total0_, _e343 + metal::popcount(_e351)}, nodes, _buffer_sizes);
        return;
    } else {
        return;
    }
}


struct joinInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void join(
  metal::uint3 group_1 [[threadgroup_position_in_grid]]
, uint lane_1 [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5& nodes [[user(fake0)]]
, threadgroup type_14& shared_nodes
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint below = {};
    uint i_8 = 0u;
    bool local_2 = {};
    uint t_2 = 1u;
    Node made = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    uint from_level = args.inner[2].z;
    uint _e9 = args.inner[2].x;
    uint _e19 = args.inner[0].w;
    uint block = ((_e9 >> (from_level + 8u)) + group_1.x) + (group_1.y * _e19);
    uint _e22 = level_start(from_level, args);
    below = _e22;
    bool loop_init_12 = true;
    while(true) {
        if (!loop_init_12) {
            uint _e60 = i_8;
            i_8 = _e60 + 1u;
        }
        loop_init_12 = false;
        uint _e26 = i_8;
        if (_e26 < 2u) {
        } else {
            break;
        }
        {
            uint _e33 = i_8;
            uint node = ((block << 8u) + lane_1) + (128u * _e33);
            uint _e39 = args.inner[2].x;
            uint first = _e39 >> from_level;
            if (node >= first) {
                uint _e45 = level_nodes(from_level, args);
                local_2 = (node - first) < _e45;
            } else {
                local_2 = false;
            }
            bool _e48 = local_2;
            if (_e48) {
                uint _e51 = i_8;
                uint _e55 = below;
// … 567 more lines with the checksum 324aa00311051f2f
