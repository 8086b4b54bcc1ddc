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
    char _pad2[6];
    long x0_;
    bool y0_;
    char _pad4[7];
};
struct Node {
    metal::uint4 f0_;
};
struct type_12 {
    metal::uint4 inner[512];
};
struct type_14 {
    Node inner[256];
};

int div_i32_(
    int a,
    int b,
    thread bool& f
) {
    bool local_22 = {};
    bool local_23 = {};
    if (!((b == 0))) {
        if (a == (-2147483647 - 1)) {
            local_23 = b == -1;
        } else {
            local_23 = false;
        }
        bool _e15 = local_23;
        local_22 = _e15;
    } else {
        local_22 = true;
    }
    bool _e17 = local_22;
    if (_e17) {
        f = true;
        return 0;
    }
    return a / b;
}

int checked_mul_i32_(
    int a_1,
    int b_1,
    thread bool& f_1
) {
    bool local_24 = {};
    bool local_25 = {};
    bool local_26 = {};
    bool local_27 = {};
    bool local_28 = {};
    bool local_29 = {};
    int r_2 = as_type<int>(as_type<uint>(a_1) * as_type<uint>(b_1));
    if (a_1 == -1) {
        local_24 = b_1 == (-2147483647 - 1);
    } else {
        local_24 = false;
    }
    bool _e11 = local_24;
    if (!(_e11)) {
        if (b_1 == -1) {
            local_26 = a_1 == (-2147483647 - 1);
        } else {
            local_26 = false;
        }
        bool _e22 = local_26;
        local_25 = _e22;
    } else {
        local_25 = true;
    }
    bool _e24 = local_25;
    if (!(_e24)) {
        if (a_1 != 0) {
            local_28 = a_1 != -1;
        } else {
            local_28 = false;
        }
        bool _e35 = local_28;
        if (_e35) {
            local_29 = (r_2 / a_1) != b_1;
        } else {
            local_29 = false;
        }
        bool _e41 = local_29;
        local_27 = _e41;
    } else {
        local_27 = true;
    }
    bool _e43 = local_27;
    if (_e43) {
        f_1 = true;
        return 0;
    }
    return r_2;
}

long wide_i32_(
    int v
) {
    return as_type<long>(static_cast<ulong>(as_type<uint>(v)) | (static_cast<ulong>(as_type<uint>(v >> 31u)) << 32u));
}

long cast_i32_i64_(
    int v_1,
    thread bool& f_2
) {
    long _e2 = wide_i32_(v_1);
    return _e2;
}

long checked_add_i64_(
    long a_2,
    long b_2,
    thread bool& f_3
) {
    long r_3 = as_type<long>(as_type<ulong>(a_2) + as_type<ulong>(b_2));
    if (((a_2 ^ r_3) & (b_2 ^ r_3)) < 0L) {
        f_3 = true;
        return 0L;
    }
    return r_3;
}

Row row(
    uint r,
    int c0_,
    int c1_,
    bool d1_,
    constant type_2& args
) {
    bool bad = false;
    int v0_ = {};
    int v1_ = {};
    bool n1_ = {};
    bool e2_ = false;
    int v2_ = {};
    bool n2_ = {};
    bool local_30 = {};
    bool e3_ = false;
    int v3_ = {};
    bool n3_ = {};
    bool local_31 = {};
    long v4_ = {};
    bool n4_ = {};
    long v5_ = {};
    bool n5_ = {};
    bool e6_ = false;
    long v6_ = {};
    bool local_32 = {};
    bool n6_ = {};
    bool local_33 = {};
    bool local_34 = {};
    bool local_35 = {};
    bool local_36 = {};
    bool local_37 = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_ = d1_;
    int _e11 = v0_;
    int _e12 = v1_;
    int _e13 = div_i32_(_e11, _e12, e2_);
    v2_ = _e13;
    bool _e15 = n1_;
    n2_ = _e15;
    bool _e17 = e2_;
    if (_e17) {
        bool _e20 = n1_;
        local_30 = _e20;
    } else {
        local_30 = false;
    }
    bool _e22 = local_30;
    e2_ = _e22;
    int _e25 = v2_;
    int _e26 = v0_;
    int _e27 = checked_mul_i32_(_e25, _e26, e3_);
    v3_ = _e27;
    bool _e29 = n2_;
    n3_ = _e29;
    bool _e31 = e3_;
    if (_e31) {
        bool _e34 = n2_;
        local_31 = _e34;
    } else {
        local_31 = false;
    }
    bool _e36 = local_31;
    e3_ = _e36;
    int _e37 = v3_;
    long _e38 = cast_i32_i64_(_e37, bad);
    v4_ = _e38;
    bool _e40 = n3_;
    n4_ = _e40;
    uint _e45 = args.inner[4].x;
    uint _e50 = args.inner[4].y;
    v5_ = as_type<long>(static_cast<ulong>(_e45) | (static_cast<ulong>(_e50) << 32u));
    uint _e60 = args.inner[4].z;
    n5_ = _e60 != 0u;
    long _e66 = v4_;
    long _e67 = v5_;
    long _e68 = checked_add_i64_(_e66, _e67, e6_);
    v6_ = _e68;
    bool _e70 = n4_;
    if (_e70) {
        bool _e73 = n5_;
        local_32 = _e73;
    } else {
        local_32 = false;
    }
    bool _e75 = local_32;
    n6_ = _e75;
    bool _e77 = e6_;
    if (_e77) {
        bool _e80 = n4_;
        local_33 = _e80;
    } else {
        local_33 = false;
    }
    bool _e82 = local_33;
    if (_e82) {
        bool _e85 = n5_;
        local_34 = _e85;
    } else {
        local_34 = false;
    }
    bool _e87 = local_34;
    e6_ = _e87;
    bool _e88 = bad;
    if (!(_e88)) {
        bool _e92 = e2_;
        local_35 = _e92;
    } else {
        local_35 = true;
    }
    bool _e94 = local_35;
    bad = _e94;
    bool _e95 = bad;
    if (!(_e95)) {
        bool _e99 = e3_;
        local_36 = _e99;
    } else {
        local_36 = true;
    }
    bool _e101 = local_36;
    bad = _e101;
    bool _e102 = bad;
    if (!(_e102)) {
        bool _e106 = e6_;
        local_37 = _e106;
    } else {
        local_37 = true;
    }
    bool _e108 = local_37;
    bad = _e108;
    bool _e110 = bad;
    long _e111 = v6_;
    bool _e112 = n6_;
    return Row {true, _e110, {}, _e111, _e112};
}

Node no_node(
) {
    return Node {metal::uint4 {}};
}

metal::uint4 add_128_(
    metal::uint4 a_3,
    metal::uint4 b_3
) {
    uint x = a_3.x + b_3.x;
    uint c0_1 = static_cast<uint>(x < a_3.x);
    uint y0_ = a_3.y + b_3.y;
    uint y = y0_ + c0_1;
    uint c1_1 = static_cast<uint>(y0_ < a_3.y) + static_cast<uint>(y < y0_);
    uint z0_ = a_3.z + b_3.z;
    uint z = z0_ + c1_1;
    uint c2_ = static_cast<uint>(z0_ < a_3.z) + static_cast<uint>(z < z0_);
    return metal::uint4(x, y, z, (a_3.w + b_3.w) + c2_);
}

Node append(
    Node a_4,
    Node b_4
) {
    Node r_1 = {};
    r_1 = b_4;
    metal::uint4 _e6 = add_128_(a_4.f0_, b_4.f0_);
    r_1.f0_ = _e6;
    Node _e7 = r_1;
    return _e7;
}

Node get_node(
    uint i_1,
    device type_6 const& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_1 = i_1 * 4u;
    uint _e9 = nodes[metal::min(unsigned((at_1 + 0u) + 0u), (_buffer_sizes.size5 - 0 - 4) / 4)];
    uint _e16 = nodes[metal::min(unsigned((at_1 + 0u) + 1u), (_buffer_sizes.size5 - 0 - 4) / 4)];
    uint _e23 = nodes[metal::min(unsigned((at_1 + 0u) + 2u), (_buffer_sizes.size5 - 0 - 4) / 4)];
    uint _e30 = nodes[metal::min(unsigned((at_1 + 0u) + 3u), (_buffer_sizes.size5 - 0 - 4) / 4)];
    return Node {metal::uint4(_e9, _e16, _e23, _e30)};
}

void put_node(
    uint i_2,
    Node n,
    device type_6& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_2 = i_2 * 4u;
    nodes[metal::min(unsigned((at_2 + 0u) + 0u), (_buffer_sizes.size5 - 0 - 4) / 4)] = n.f0_.x;
    nodes[metal::min(unsigned((at_2 + 0u) + 1u), (_buffer_sizes.size5 - 0 - 4) / 4)] = n.f0_.y;
    nodes[metal::min(unsigned((at_2 + 0u) + 2u), (_buffer_sizes.size5 - 0 - 4) / 4)] = n.f0_.z;
    nodes[metal::min(unsigned((at_2 + 0u) + 3u), (_buffer_sizes.size5 - 0 - 4) / 4)] = n.f0_.w;
    return;
}

bool fits_i64_(
    metal::uint4 w
) {
    bool local_38 = {};
    uint s = as_type<uint>(as_type<int>(w.y) >> 31u);
    if (w.z == s) {
        local_38 = w.w == s;
    } else {
        local_38 = false;
    }
    bool _e13 = local_38;
    return _e13;
}

ulong low_64_(
    metal::uint4 a_5
) {
    return static_cast<ulong>(a_5.x) | (static_cast<ulong>(a_5.y) << 32u);
}

void finish_node(
    Node n_1,
    constant type_2& args,
    device type_4& status,
    device type_6& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e4 = args.inner[1].z;
    if (_e4 == 0u) {
        return;
    }
    uint _e10 = args.inner[2].w;
    uint at_3 = _e10 * 4u;
    metal::uint4 z0w = n_1.f0_;
    bool _e14 = fits_i64_(z0w);
    if (!(_e14)) {
        uint _e20 = args.inner[1].y;
        uint _e25 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e20 + 1u), (_buffer_sizes.size1 - 0 - 4) / 4)], 65535u, metal::memory_order_relaxed);
    }
    ulong _e26 = low_64_(z0w);
    long z0_1 = as_type<long>(_e26);
    nodes[metal::min(unsigned(at_3 + 0u), (_buffer_sizes.size5 - 0 - 4) / 4)] = static_cast<uint>(as_type<ulong>(z0_1) & 4294967295uL);
    nodes[metal::min(unsigned(at_3 + 1u), (_buffer_sizes.size5 - 0 - 4) / 4)] = static_cast<uint>(as_type<ulong>(z0_1) >> 32u);
    return;
}

metal::uint4 widened_i64_(
    long v_2
) {
    ulong b_7 = as_type<ulong>(v_2);
    uint high = (v_2 < 0L) ? 4294967295u : 0u;
    return metal::uint4(static_cast<uint>(b_7 & 4294967295uL), static_cast<uint>(b_7 >> 32u), high, high);
}

uint level_nodes(
    uint b_5,
    constant type_2& args
) {
    uint _e4 = args.inner[2].x;
    uint _e8 = args.inner[2].y;
    uint _e16 = args.inner[2].x;
    return ((((_e4 + _e8) - 1u) >> b_5) - (_e16 >> b_5)) + 1u;
}

uint level_start(
    uint b_6,
    constant type_2& args
) {
    uint at = 0u;
    uint i_3 = 0u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e12 = i_3;
            i_3 = _e12 + 1u;
        }
        loop_init = false;
        uint _e5 = i_3;
        if (_e5 < b_6) {
        } else {
            break;
        }
        {
            uint _e7 = at;
            uint _e8 = i_3;
            uint _e9 = level_nodes(_e8, args);
            at = _e7 + _e9;
        }
    }
    uint _e14 = at;
    return _e14;
}

struct leavesInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void leaves(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& status [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_6 const& inv1_ [[user(fake0)]]
, device type_6& nodes [[user(fake0)]]
, threadgroup type_12& shared_vec4_u32_
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    metal::uint4 s0_0_ = metal::uint4 {};
    metal::uint4 s0_1_ = metal::uint4 {};
    metal::uint4 s0_2_ = metal::uint4 {};
    metal::uint4 s0_3_ = metal::uint4 {};
    uint k = 0u;
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    bool local_8 = {};
    bool local_9 = {};
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    uint h = 16u;
    bool local_16 = {};
    uint rows = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint first_leaf = (group.x + (group.y * _e11)) * 4u;
    if ((first_leaf * 4096u) >= rows) {
        return;
    }
    uint leaf = first_leaf + (lane >> 5u);
    uint start = leaf * 4096u;
    uint quad_ = lane & 31u;
    uint last = rows - 1u;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e857 = k;
            k = _e857 + 4u;
        }
        loop_init_1 = false;
        uint _e38 = k;
        if (_e38 < 32u) {
        } else {
            break;
        }
        {
            uint _e41 = k;
            uint base_0_ = (start + ((_e41 + 0u) * 128u)) + (quad_ * 4u);
            uint first_0_ = metal::min(base_0_, last & 4294967292u);
            metal::uint4 quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e68 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e75 = args.inner[5].y;
            uint valid1_0_ = ((_e75 & 1u) != 0u) ? (_e68 >> (first_0_ & 31u)) : 15u;
            uint _e81 = k;
            uint base_1_ = (start + ((_e81 + 1u) * 128u)) + (quad_ * 4u);
            uint first_1_ = metal::min(base_1_, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e108 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e115 = args.inner[5].y;
            uint valid1_1_ = ((_e115 & 1u) != 0u) ? (_e108 >> (first_1_ & 31u)) : 15u;
            uint _e121 = k;
            uint base_2_ = (start + ((_e121 + 2u) * 128u)) + (quad_ * 4u);
            uint first_2_ = metal::min(base_2_, last & 4294967292u);
            metal::uint4 quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e148 = inv1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e155 = args.inner[5].y;
            uint valid1_2_ = ((_e155 & 1u) != 0u) ? (_e148 >> (first_2_ & 31u)) : 15u;
            uint _e161 = k;
            uint base_3_ = (start + ((_e161 + 3u) * 128u)) + (quad_ * 4u);
            uint first_3_ = metal::min(base_3_, last & 4294967292u);
            metal::uint4 quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e188 = inv1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e195 = args.inner[5].y;
            uint valid1_3_ = ((_e195 & 1u) != 0u) ? (_e188 >> (first_3_ & 31u)) : 15u;
            {
                Row _e213 = row(base_0_ + 0u, as_type<int>(quad0_0_.x), as_type<int>(quad1_0_.x), ((valid1_0_ >> 0u) & 1u) != 0u, args);
                bool live = (base_0_ + 0u) < rows;
                if (_e213.bad) {
                    local = live;
                } else {
                    local = false;
                }
                bool _e221 = local;
                if (_e221) {
                    uint _e226 = args.inner[1].y;
                    uint _e231 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e226), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_0_ + 0u)), metal::memory_order_relaxed);
                }
                {
                    bool there = (live & _e213.selected) & _e213.y0_;
                    metal::uint4 _e236 = s0_0_;
                    metal::uint4 _e239 = widened_i64_(_e213.x0_);
                    metal::uint4 _e241 = add_128_(_e236, there ? _e239 : metal::uint4 {});
                    s0_0_ = _e241;
                }
            }
            {
                Row _e254 = row(base_0_ + 1u, as_type<int>(quad0_0_.y), as_type<int>(quad1_0_.y), ((valid1_0_ >> 1u) & 1u) != 0u, args);
                bool live_1 = (base_0_ + 1u) < rows;
                if (_e254.bad) {
                    local_1 = live_1;
                } else {
                    local_1 = false;
                }
                bool _e262 = local_1;
                if (_e262) {
                    uint _e267 = args.inner[1].y;
                    uint _e272 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e267), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_0_ + 1u)), metal::memory_order_relaxed);
                }
                {
                    bool there_1 = (live_1 & _e254.selected) & _e254.y0_;
                    metal::uint4 _e277 = s0_1_;
                    metal::uint4 _e280 = widened_i64_(_e254.x0_);
                    metal::uint4 _e282 = add_128_(_e277, there_1 ? _e280 : metal::uint4 {});
                    s0_1_ = _e282;
                }
            }
            {
                Row _e295 = row(base_0_ + 2u, as_type<int>(quad0_0_.z), as_type<int>(quad1_0_.z), ((valid1_0_ >> 2u) & 1u) != 0u, args);
                bool live_2 = (base_0_ + 2u) < rows;
                if (_e295.bad) {
                    local_2 = live_2;
                } else {
                    local_2 = false;
                }
                bool _e303 = local_2;
                if (_e303) {
                    uint _e308 = args.inner[1].y;
                    uint _e313 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e308), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_0_ + 2u)), metal::memory_order_relaxed);
                }
                {
                    bool there_2 = (live_2 & _e295.selected) & _e295.y0_;
                    metal::uint4 _e318 = s0_2_;
                    metal::uint4 _e321 = widened_i64_(_e295.x0_);
                    metal::uint4 _e323 = add_128_(_e318, there_2 ? _e321 : metal::uint4 {});
                    s0_2_ = _e323;
                }
            }
            {
                Row _e336 = row(base_0_ + 3u, as_type<int>(quad0_0_.w), as_type<int>(quad1_0_.w), ((valid1_0_ >> 3u) & 1u) != 0u, args);
                bool live_3 = (base_0_ + 3u) < rows;
                if (_e336.bad) {
                    local_3 = live_3;
                } else {
                    local_3 = false;
                }
                bool _e344 = local_3;
                if (_e344) {
                    uint _e349 = args.inner[1].y;
                    uint _e354 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e349), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_0_ + 3u)), metal::memory_order_relaxed);
                }
                {
                    bool there_3 = (live_3 & _e336.selected) & _e336.y0_;
                    metal::uint4 _e359 = s0_3_;
                    metal::uint4 _e362 = widened_i64_(_e336.x0_);
                    metal::uint4 _e364 = add_128_(_e359, there_3 ? _e362 : metal::uint4 {});
                    s0_3_ = _e364;
                }
            }
            {
                Row _e377 = row(base_1_ + 0u, as_type<int>(quad0_1_.x), as_type<int>(quad1_1_.x), ((valid1_1_ >> 0u) & 1u) != 0u, args);
                bool live_4 = (base_1_ + 0u) < rows;
// … 505 more lines with the checksum 4b5b4b58eef81e36
