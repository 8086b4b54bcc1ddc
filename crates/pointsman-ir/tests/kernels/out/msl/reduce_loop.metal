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
    metal::uint4 inner[6];
};
typedef metal::atomic_uint type_4[1];
typedef uint type_5[1];
typedef ulong type_7[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    uint x0_;
    bool y0_;
    bool x1_;
    bool y1_;
    char _pad6[1];
    uint x2_;
    bool y2_;
    char _pad8[3];
    uint x3_;
    bool y3_;
    char _pad10[3];
    uint x4_;
    bool y4_;
    char _pad12[3];
};
struct Best_f32_ {
    uint v;
    uint there;
};
struct Best_u32_ {
    uint v;
    uint there;
};
struct Node {
    uint f0_;
    uint f1_;
    Best_u32_ f2_;
    Best_f32_ f3_;
    uint f4_;
};
struct type_13 {
    Best_f32_ inner[128];
};
struct type_14 {
    Best_u32_ inner[128];
};
struct type_15 {
    uint inner[128];
};
struct type_17 {
    Node inner[256];
};

uint list0_at_u32_(
    uint i_1,
    thread bool& f,
    constant type_2& args,
    device type_5 const& list0_,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e5 = args.inner[5].z;
    if (i_1 >= _e5) {
        f = true;
        return 0u;
    }
    uint _e11 = list0_[metal::min(unsigned(i_1), (_buffer_sizes.size5 - 0 - 4) / 4)];
    return _e11;
}

float single(
    uint a,
    constant type_2& args
) {
    uint _e4 = args.inner[3].x;
    return as_type<float>(a ^ _e4);
}

float second_single(
    uint a_1,
    constant type_2& args
) {
    uint _e4 = args.inner[3].y;
    return as_type<float>(a_1 ^ _e4);
}

float third_single(
    uint a_2,
    constant type_2& args
) {
    uint _e4 = args.inner[3].z;
    return as_type<float>(a_2 ^ _e4);
}

uint fma_f32_(
    uint a_3,
    uint b,
    uint c,
    constant type_2& args
) {
    float _e3 = single(a_3, args);
    float _e4 = second_single(b, args);
    float _e5 = third_single(c, args);
    return as_type<uint>(metal::fma(_e3, _e4, _e5));
}

int ordered_f32_(
    uint a_4
) {
    return as_type<int>(a_4 & 2147483647u) ^ (as_type<int>(a_4) >> 31u);
}

bool is_nan_f32_(
    uint a_5
) {
    return (a_5 & 2147483647u) > 2139095040u;
}

bool below_f32_(
    uint a_6,
    uint b_1
) {
    int _e8 = ordered_f32_(((b_1 << 1u) == 0u) ? 2147483648u : b_1);
    bool _e10 = is_nan_f32_(b_1);
    int right = _e10 ? 2147483647 : _e8;
    bool _e12 = is_nan_f32_(a_6);
    int _e14 = ordered_f32_(a_6);
    return !(_e12) & (_e14 < right);
}

uint cast_i64_u32_(
    long v,
    thread bool& f_1
) {
    if (v < 0L) {
        f_1 = true;
        return 0u;
    }
    if (v > 4294967295L) {
        f_1 = true;
        return 0u;
    }
    return static_cast<uint>(as_type<ulong>(v));
}

Row row(
    uint r,
    uint c0_,
    long c1_,
    bool d1_,
    constant type_2& args,
    device type_5 const& list0_,
    constant _mslBufferSizes& _buffer_sizes
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    uint v2_ = 0u;
    uint v3_ = 1078530011u;
    uint s4_0_ = {};
    bool t4_0_ = true;
    uint s4_1_ = {};
    bool t4_1_ = true;
    bool e4_ = false;
    uint k4_ = 0u;
    uint v5_ = {};
    uint v6_ = {};
    bool e7_ = {};
    uint v7_ = {};
    uint v8_ = {};
    bool v9_ = {};
    long v10_ = {};
    bool n10_ = {};
    bool e11_ = {};
    uint v11_ = {};
    bool n11_ = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    bool local_16 = {};
    uint x4_0_ = {};
    bool y4_0_ = {};
    uint x4_1_ = {};
    bool y4_1_ = {};
    uint v12_ = {};
    uint v13_ = {};
    bool n13_ = {};
    bool v14_ = {};
    bool n14_ = {};
    bool local_17 = {};
    bool local_18 = {};
    v0_ = c0_;
    uint _e10 = args.inner[4].x;
    v1_ = _e10;
    uint _e16 = v0_;
    s4_0_ = _e16;
    uint _e20 = v2_;
    s4_1_ = _e20;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e98 = k4_;
            k4_ = _e98 + 1u;
        }
        loop_init = false;
        uint _e28 = k4_;
        if (_e28 < 16u) {
        } else {
            break;
        }
        {
            uint _e31 = k4_;
            v5_ = _e31;
            uint _e33 = s4_0_;
            v6_ = _e33;
            e7_ = false;
            uint _e37 = v5_;
            uint _e38 = list0_at_u32_(_e37, e7_, args, list0_, _buffer_sizes);
            v7_ = _e38;
            uint _e40 = v6_;
            uint _e41 = v1_;
            uint _e42 = v7_;
            uint _e43 = fma_f32_(_e40, _e41, _e42, args);
            v8_ = _e43;
            uint _e45 = v8_;
            uint _e46 = v3_;
            bool _e47 = below_f32_(_e45, _e46);
            v9_ = _e47;
            v10_ = c1_;
            n10_ = d1_;
            e11_ = false;
            long _e53 = v10_;
            uint _e54 = cast_i64_u32_(_e53, e11_);
            v11_ = _e54;
            bool _e56 = n10_;
            n11_ = _e56;
            bool _e58 = e11_;
            if (_e58) {
                bool _e61 = n10_;
                local_13 = _e61;
            } else {
                local_13 = false;
            }
            bool _e63 = local_13;
            e11_ = _e63;
            bool _e64 = e4_;
            if (!(_e64)) {
                bool _e68 = e7_;
                local_14 = _e68;
            } else {
                local_14 = true;
            }
            bool _e70 = local_14;
            e4_ = _e70;
            bool _e71 = e4_;
            if (!(_e71)) {
                bool _e75 = e11_;
                if (_e75) {
                    bool _e78 = v9_;
                    local_16 = _e78;
                } else {
                    local_16 = false;
                }
                bool _e80 = local_16;
                local_15 = _e80;
            } else {
                local_15 = true;
            }
            bool _e82 = local_15;
            e4_ = _e82;
            bool _e83 = v9_;
            if (!(_e83)) {
                break;
            }
            uint _e85 = v8_;
            x4_0_ = _e85;
            y4_0_ = true;
            uint _e89 = v11_;
            x4_1_ = _e89;
            bool _e91 = n11_;
            y4_1_ = _e91;
            uint _e93 = x4_0_;
            s4_0_ = _e93;
            bool _e94 = y4_0_;
            t4_0_ = _e94;
            uint _e95 = x4_1_;
            s4_1_ = _e95;
            bool _e96 = y4_1_;
            t4_1_ = _e96;
        }
    }
    uint _e100 = s4_0_;
    v12_ = _e100;
    uint _e102 = s4_1_;
    v13_ = _e102;
    bool _e104 = t4_1_;
    n13_ = _e104;
    uint _e106 = v13_;
    uint _e107 = v2_;
    v14_ = _e106 > _e107;
    bool _e110 = n13_;
    n14_ = _e110;
    bool _e112 = bad;
    if (!(_e112)) {
        bool _e116 = e4_;
        local_17 = _e116;
    } else {
        local_17 = true;
    }
    bool _e118 = local_17;
    bad = _e118;
    bool _e119 = n14_;
    if (_e119) {
        bool _e122 = v14_;
        local_18 = _e122;
    } else {
        local_18 = false;
    }
    bool _e124 = local_18;
    bool _e125 = bad;
    uint _e126 = v12_;
    uint _e130 = v13_;
    bool _e131 = n13_;
    uint _e132 = v12_;
    uint _e134 = v13_;
    bool _e135 = n13_;
    return Row {_e124, _e125, {}, _e126, true, true, true, {}, _e130, _e131, {}, _e132, true, {}, _e134, _e135};
}

Node no_node(
) {
    return Node {2147483648u, 0u, Best_u32_ {0u, 0u}, Best_f32_ {0u, 0u}, 0u};
}

uint add_f32_(
    uint a_7,
    uint b_2,
    constant type_2& args
) {
    float _e2 = single(a_7, args);
    float _e3 = second_single(b_2, args);
    return as_type<uint>(_e2 + _e3);
}

Best_u32_ least_best_u32_(
    Best_u32_ a_8,
    Best_u32_ b_3
) {
    if (b_3.there == 0u) {
        return a_8;
    }
    if (a_8.there == 0u) {
        return b_3;
    }
    return Best_u32_ {(b_3.v < a_8.v) ? b_3.v : a_8.v, 1u};
}

uint total_f32_(
    uint a_9
) {
    uint key = ((a_9 >> 31u) != 0u) ? ~(a_9) : (a_9 | 2147483648u);
    bool _e10 = is_nan_f32_(a_9);
    return _e10 ? 4294967295u : key;
}

Best_f32_ greatest_best_f32_(
    Best_f32_ a_10,
    Best_f32_ b_4
) {
    if (b_4.there == 0u) {
        return a_10;
    }
    if (a_10.there == 0u) {
        return b_4;
    }
    uint _e11 = total_f32_(b_4.v);
    uint _e13 = total_f32_(a_10.v);
    return Best_f32_ {(_e11 > _e13) ? b_4.v : a_10.v, 1u};
}

Node append(
    Node a_11,
    Node b_5,
    constant type_2& args
) {
    Node r_1 = {};
    r_1 = b_5;
    uint _e6 = add_f32_(a_11.f0_, b_5.f0_, args);
    r_1.f0_ = _e6;
    r_1.f1_ = a_11.f1_ + b_5.f1_;
    Best_u32_ _e14 = least_best_u32_(a_11.f2_, b_5.f2_);
    r_1.f2_ = _e14;
    Best_f32_ _e18 = greatest_best_f32_(a_11.f3_, b_5.f3_);
    r_1.f3_ = _e18;
    r_1.f4_ = a_11.f4_ + b_5.f4_;
    Node _e23 = r_1;
    return _e23;
}

Node get_node(
    uint i_2,
    device type_5 const& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_1 = i_2 * 7u;
    uint _e9 = nodes[metal::min(unsigned((at_1 + 0u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e16 = nodes[metal::min(unsigned((at_1 + 1u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e23 = nodes[metal::min(unsigned((at_1 + 2u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e30 = nodes[metal::min(unsigned((at_1 + 2u) + 1u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e38 = nodes[metal::min(unsigned((at_1 + 4u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e45 = nodes[metal::min(unsigned((at_1 + 4u) + 1u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    uint _e53 = nodes[metal::min(unsigned((at_1 + 6u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)];
    return Node {_e9, _e16, Best_u32_ {_e23, _e30}, Best_f32_ {_e38, _e45}, _e53};
}

void put_node(
    uint i_3,
    Node n,
    device type_5& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint at_2 = i_3 * 7u;
    nodes[metal::min(unsigned((at_2 + 0u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f0_;
    nodes[metal::min(unsigned((at_2 + 1u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f1_;
    nodes[metal::min(unsigned((at_2 + 2u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f2_.v;
    nodes[metal::min(unsigned((at_2 + 2u) + 1u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f2_.there;
    nodes[metal::min(unsigned((at_2 + 4u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f3_.v;
    nodes[metal::min(unsigned((at_2 + 4u) + 1u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f3_.there;
    nodes[metal::min(unsigned((at_2 + 6u) + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n.f4_;
    return;
}

uint canonical_f32_(
    uint a_12
) {
    bool _e2 = is_nan_f32_(a_12);
    return _e2 ? 2143289344u : a_12;
}

void finish_node(
    Node n_1,
    constant type_2& args,
    device type_5& nodes,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint _e4 = args.inner[1].z;
    if (_e4 == 0u) {
        return;
    }
    uint _e10 = args.inner[2].w;
    uint at_3 = _e10 * 7u;
    uint _e15 = add_f32_(n_1.f0_, 0u, args);
    uint _e16 = canonical_f32_(_e15);
    nodes[metal::min(unsigned(at_3 + 0u), (_buffer_sizes.size6 - 0 - 4) / 4)] = _e16;
    nodes[metal::min(unsigned(at_3 + 8u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n_1.f1_;
    nodes[metal::min(unsigned(at_3 + 9u), (_buffer_sizes.size6 - 0 - 4) / 4)] = 0u;
    Best_u32_ z2b = n_1.f2_;
    uint z2_ = (n_1.f2_.there != 0u) ? n_1.f2_.v : 0u;
    nodes[metal::min(unsigned(at_3 + 16u), (_buffer_sizes.size6 - 0 - 4) / 4)] = z2_;
    nodes[metal::min(unsigned(at_3 + 20u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n_1.f2_.there;
    Best_f32_ z3b = n_1.f3_;
    uint _e50 = canonical_f32_(n_1.f3_.v);
    uint z3_ = (n_1.f3_.there != 0u) ? _e50 : 0u;
    nodes[metal::min(unsigned(at_3 + 24u), (_buffer_sizes.size6 - 0 - 4) / 4)] = z3_;
    nodes[metal::min(unsigned(at_3 + 28u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n_1.f3_.there;
    nodes[metal::min(unsigned(at_3 + 32u), (_buffer_sizes.size6 - 0 - 4) / 4)] = n_1.f4_;
    nodes[metal::min(unsigned(at_3 + 33u), (_buffer_sizes.size6 - 0 - 4) / 4)] = 0u;
    return;
}

uint level_nodes(
    uint b_6,
    constant type_2& args
) {
    uint _e4 = args.inner[2].x;
    uint _e8 = args.inner[2].y;
    uint _e16 = args.inner[2].x;
    return ((((_e4 + _e8) - 1u) >> b_6) - (_e16 >> b_6)) + 1u;
}

uint level_start(
    uint b_7,
    constant type_2& args
) {
    uint at = 0u;
    uint i_4 = 0u;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e12 = i_4;
            i_4 = _e12 + 1u;
        }
        loop_init_1 = false;
        uint _e5 = i_4;
        if (_e5 < b_7) {
        } else {
            break;
        }
        {
            uint _e7 = at;
            uint _e8 = i_4;
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
, device type_7 const& in1_ [[user(fake0)]]
, device type_5 const& inv1_ [[user(fake0)]]
, device type_5 const& list0_ [[user(fake0)]]
, device type_5& nodes [[user(fake0)]]
, threadgroup type_13& shared_Best_f32_
, threadgroup type_14& shared_Best_u32_
, threadgroup type_15& shared_u32_
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint s0_ = 2147483648u;
    uint s1_ = 0u;
    Best_u32_ s2_ = Best_u32_ {0u, 0u};
    Best_f32_ s3_ = Best_f32_ {0u, 0u};
    uint s4_ = 0u;
    uint k = 0u;
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
    uint h = 64u;
    uint h_1 = 64u;
    uint h_2 = 64u;
    uint h_3 = 64u;
    uint h_4 = 64u;
    uint rows = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint leaf = group.x + (group.y * _e11);
    uint start = leaf * 4096u;
    if (start >= rows) {
        return;
    }
    uint last = rows - 1u;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e438 = k;
            k = _e438 + 4u;
        }
        loop_init_2 = false;
        uint _e35 = k;
        if (_e35 < 32u) {
        } else {
            break;
        }
        {
            uint _e38 = k;
            uint r0_ = ((start + (_e38 * 128u)) + 0u) + lane;
            uint _e49 = in0_[metal::min(unsigned(metal::min(r0_, last)), (_buffer_sizes.size2 - 0 - 4) / 4)];
            ulong _e53 = in1_[metal::min(unsigned(metal::min(r0_, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e58 = args.inner[5].y;
            if (!(((_e58 & 1u) == 0u))) {
                uint _e71 = inv1_[metal::min(unsigned(metal::min(r0_, last) >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
                local = ((_e71 >> (metal::min(r0_, last) & 31u)) & 1u) != 0u;
            } else {
                local = true;
            }
            bool _e81 = local;
            Row _e82 = row(metal::min(r0_, last), _e49, as_type<long>(_e53), _e81, args, list0_, _buffer_sizes);
            uint _e83 = k;
            uint r1_ = ((start + (_e83 * 128u)) + 128u) + lane;
            uint _e94 = in0_[metal::min(unsigned(metal::min(r1_, last)), (_buffer_sizes.size2 - 0 - 4) / 4)];
            ulong _e98 = in1_[metal::min(unsigned(metal::min(r1_, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e103 = args.inner[5].y;
            if (!(((_e103 & 1u) == 0u))) {
                uint _e116 = inv1_[metal::min(unsigned(metal::min(r1_, last) >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
                local_1 = ((_e116 >> (metal::min(r1_, last) & 31u)) & 1u) != 0u;
            } else {
                local_1 = true;
            }
            bool _e126 = local_1;
            Row _e127 = row(metal::min(r1_, last), _e94, as_type<long>(_e98), _e126, args, list0_, _buffer_sizes);
            uint _e128 = k;
            uint r2_ = ((start + (_e128 * 128u)) + 256u) + lane;
            uint _e139 = in0_[metal::min(unsigned(metal::min(r2_, last)), (_buffer_sizes.size2 - 0 - 4) / 4)];
            ulong _e143 = in1_[metal::min(unsigned(metal::min(r2_, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e148 = args.inner[5].y;
            if (!(((_e148 & 1u) == 0u))) {
                uint _e161 = inv1_[metal::min(unsigned(metal::min(r2_, last) >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
                local_2 = ((_e161 >> (metal::min(r2_, last) & 31u)) & 1u) != 0u;
            } else {
                local_2 = true;
            }
            bool _e171 = local_2;
            Row _e172 = row(metal::min(r2_, last), _e139, as_type<long>(_e143), _e171, args, list0_, _buffer_sizes);
            uint _e173 = k;
            uint r3_ = ((start + (_e173 * 128u)) + 384u) + lane;
            uint _e184 = in0_[metal::min(unsigned(metal::min(r3_, last)), (_buffer_sizes.size2 - 0 - 4) / 4)];
            ulong _e188 = in1_[metal::min(unsigned(metal::min(r3_, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e193 = args.inner[5].y;
            if (!(((_e193 & 1u) == 0u))) {
                uint _e206 = inv1_[metal::min(unsigned(metal::min(r3_, last) >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
                local_3 = ((_e206 >> (metal::min(r3_, last) & 31u)) & 1u) != 0u;
            } else {
                local_3 = true;
            }
            bool _e216 = local_3;
            Row _e217 = row(metal::min(r3_, last), _e184, as_type<long>(_e188), _e216, args, list0_, _buffer_sizes);
            {
                bool live = r0_ < rows;
                if (_e82.bad) {
                    local_4 = live;
                } else {
                    local_4 = false;
                }
                bool _e223 = local_4;
                if (_e223) {
                    uint _e228 = args.inner[1].y;
                    uint _e231 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e228), (_buffer_sizes.size1 - 0 - 4) / 4)], ~(r0_), metal::memory_order_relaxed);
                }
                {
                    bool there = (live & _e82.selected) & _e82.y0_;
                    uint _e236 = s0_;
                    uint _e240 = add_f32_(_e236, there ? _e82.x0_ : 2147483648u, args);
                    s0_ = _e240;
                }
                {
// … 473 more lines with the checksum 918f77abd3c2dc6f
