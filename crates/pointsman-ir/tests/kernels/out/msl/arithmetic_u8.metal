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
typedef uint type_5[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    uint o0_;
    bool q0_;
    char _pad4[3];
};
struct type_8 {
    uint inner[128];
};

uint div_u8_(
    uint a,
    uint b_1,
    thread bool& f
) {
    if (b_1 == 0u) {
        f = true;
        return 0u;
    }
    return a / b_1;
}

uint rem_u8_(
    uint a_1,
    uint b_2,
    thread bool& f_1
) {
    if (b_2 == 0u) {
        f_1 = true;
        return 0u;
    }
    return a_1 % b_2;
}

uint checked_add_u8_(
    uint a_2,
    uint b_3,
    thread bool& f_2
) {
    uint r_1 = a_2 + b_3;
    if (r_1 > 255u) {
        f_2 = true;
        return 0u;
    }
    return r_1;
}

uint checked_mul_u8_(
    uint a_3,
    uint b_4,
    thread bool& f_3
) {
    uint r_2 = a_3 * b_4;
    if (r_2 > 255u) {
        f_3 = true;
        return 0u;
    }
    return r_2;
}

Row row(
    uint r,
    uint c0_,
    uint c1_,
    bool d1_
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    bool n1_ = {};
    uint v2_ = {};
    bool n2_ = {};
    uint v3_ = {};
    bool n3_ = {};
    uint v4_ = {};
    bool n4_ = {};
    bool e5_ = false;
    uint v5_ = {};
    bool n5_ = {};
    bool local_8 = {};
    bool e6_ = false;
    uint v6_ = {};
    bool n6_ = {};
    bool local_9 = {};
    bool e7_ = false;
    uint v7_ = {};
    bool n7_ = {};
    bool local_10 = {};
    bool e8_ = false;
    uint v8_ = {};
    bool n8_ = {};
    bool local_11 = {};
    uint v9_ = {};
    uint v10_ = {};
    uint v11_ = {};
    bool local_12 = {};
    bool n11_ = {};
    uint v12_ = {};
    bool local_13 = {};
    bool n12_ = {};
    uint v13_ = {};
    bool local_14 = {};
    bool n13_ = {};
    uint v14_ = {};
    bool local_15 = {};
    bool n14_ = {};
    uint v15_ = {};
    bool local_16 = {};
    bool n15_ = {};
    uint v16_ = {};
    bool local_17 = {};
    bool n16_ = {};
    uint v17_ = {};
    bool local_18 = {};
    bool n17_ = {};
    uint v18_ = {};
    bool n18_ = {};
    uint v19_ = {};
    bool n19_ = {};
    uint v20_ = {};
    bool local_19 = {};
    bool n20_ = {};
    bool local_20 = {};
    bool local_21 = {};
    bool local_22 = {};
    bool local_23 = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_ = d1_;
    uint _e9 = v0_;
    uint _e10 = v1_;
    v2_ = (_e9 + _e10) & 255u;
    bool _e15 = n1_;
    n2_ = _e15;
    uint _e17 = v0_;
    uint _e18 = v1_;
    v3_ = (_e17 - _e18) & 255u;
    bool _e23 = n1_;
    n3_ = _e23;
    uint _e25 = v0_;
    uint _e26 = v1_;
    v4_ = (_e25 * _e26) & 255u;
    bool _e31 = n1_;
    n4_ = _e31;
    uint _e35 = v0_;
    uint _e36 = v1_;
    uint _e37 = div_u8_(_e35, _e36, e5_);
    v5_ = _e37;
    bool _e39 = n1_;
    n5_ = _e39;
    bool _e41 = e5_;
    if (_e41) {
        bool _e44 = n1_;
        local_8 = _e44;
    } else {
        local_8 = false;
    }
    bool _e46 = local_8;
    e5_ = _e46;
    uint _e49 = v0_;
    uint _e50 = v1_;
    uint _e51 = rem_u8_(_e49, _e50, e6_);
    v6_ = _e51;
    bool _e53 = n1_;
    n6_ = _e53;
    bool _e55 = e6_;
    if (_e55) {
        bool _e58 = n1_;
        local_9 = _e58;
    } else {
        local_9 = false;
    }
    bool _e60 = local_9;
    e6_ = _e60;
    uint _e63 = v0_;
    uint _e64 = v1_;
    uint _e65 = checked_add_u8_(_e63, _e64, e7_);
    v7_ = _e65;
    bool _e67 = n1_;
    n7_ = _e67;
    bool _e69 = e7_;
    if (_e69) {
        bool _e72 = n1_;
        local_10 = _e72;
    } else {
        local_10 = false;
    }
    bool _e74 = local_10;
    e7_ = _e74;
    uint _e77 = v0_;
    uint _e78 = v1_;
    uint _e79 = checked_mul_u8_(_e77, _e78, e8_);
    v8_ = _e79;
    bool _e81 = n1_;
    n8_ = _e81;
    bool _e83 = e8_;
    if (_e83) {
        bool _e86 = n1_;
        local_11 = _e86;
    } else {
        local_11 = false;
    }
    bool _e88 = local_11;
    e8_ = _e88;
    uint _e89 = v0_;
    v9_ = _e89;
    uint _e93 = v0_;
    v10_ = (_e93 > 0u) ? 1u : 0u;
    uint _e98 = v0_;
    uint _e99 = v1_;
    uint _e100 = v1_;
    uint _e101 = v0_;
    uint _e104 = v1_;
    uint _e105 = v1_;
    uint _e106 = v0_;
    uint _e107 = v1_;
    uint _e108 = v1_;
    uint _e109 = v0_;
    v11_ = (_e105 < ((_e108 > _e109) ? _e107 : _e106)) ? _e104 : ((_e100 > _e101) ? _e99 : _e98);
    bool _e115 = n1_;
    if (_e115) {
        bool _e118 = n1_;
        local_12 = _e118;
    } else {
        local_12 = false;
    }
    bool _e120 = local_12;
    n11_ = _e120;
    uint _e122 = v2_;
    uint _e123 = v3_;
    v12_ = _e122 ^ _e123;
    bool _e126 = n2_;
    if (_e126) {
        bool _e129 = n3_;
        local_13 = _e129;
    } else {
        local_13 = false;
    }
    bool _e131 = local_13;
    n12_ = _e131;
    uint _e133 = v12_;
    uint _e134 = v4_;
    v13_ = _e133 ^ _e134;
    bool _e137 = n12_;
    if (_e137) {
        bool _e140 = n4_;
        local_14 = _e140;
    } else {
        local_14 = false;
    }
    bool _e142 = local_14;
    n13_ = _e142;
    uint _e144 = v13_;
    uint _e145 = v5_;
    v14_ = _e144 ^ _e145;
    bool _e148 = n13_;
    if (_e148) {
        bool _e151 = n5_;
        local_15 = _e151;
    } else {
        local_15 = false;
    }
    bool _e153 = local_15;
    n14_ = _e153;
    uint _e155 = v14_;
    uint _e156 = v6_;
    v15_ = _e155 ^ _e156;
    bool _e159 = n14_;
    if (_e159) {
        bool _e162 = n6_;
        local_16 = _e162;
    } else {
        local_16 = false;
    }
    bool _e164 = local_16;
    n15_ = _e164;
    uint _e166 = v15_;
    uint _e167 = v7_;
    v16_ = _e166 ^ _e167;
    bool _e170 = n15_;
    if (_e170) {
        bool _e173 = n7_;
        local_17 = _e173;
    } else {
        local_17 = false;
    }
    bool _e175 = local_17;
    n16_ = _e175;
    uint _e177 = v16_;
    uint _e178 = v8_;
    v17_ = _e177 ^ _e178;
    bool _e181 = n16_;
    if (_e181) {
        bool _e184 = n8_;
        local_18 = _e184;
    } else {
        local_18 = false;
    }
    bool _e186 = local_18;
    n17_ = _e186;
    uint _e188 = v17_;
    uint _e189 = v9_;
    v18_ = _e188 ^ _e189;
    bool _e192 = n17_;
    n18_ = _e192;
    uint _e194 = v18_;
    uint _e195 = v10_;
    v19_ = _e194 ^ _e195;
    bool _e198 = n18_;
    n19_ = _e198;
    uint _e200 = v19_;
    uint _e201 = v11_;
    v20_ = _e200 ^ _e201;
    bool _e204 = n19_;
    if (_e204) {
        bool _e207 = n11_;
        local_19 = _e207;
    } else {
        local_19 = false;
    }
    bool _e209 = local_19;
    n20_ = _e209;
    bool _e211 = bad;
    if (!(_e211)) {
        bool _e215 = e5_;
        local_20 = _e215;
    } else {
        local_20 = true;
    }
    bool _e217 = local_20;
    bad = _e217;
    bool _e218 = bad;
    if (!(_e218)) {
        bool _e222 = e6_;
        local_21 = _e222;
    } else {
        local_21 = true;
    }
    bool _e224 = local_21;
    bad = _e224;
    bool _e225 = bad;
    if (!(_e225)) {
        bool _e229 = e7_;
        local_22 = _e229;
    } else {
        local_22 = true;
    }
    bool _e231 = local_22;
    bad = _e231;
    bool _e232 = bad;
    if (!(_e232)) {
        bool _e236 = e8_;
        local_23 = _e236;
    } else {
        local_23 = true;
    }
    bool _e238 = local_23;
    bad = _e238;
    bool _e240 = bad;
    uint _e242 = v20_;
    bool _e243 = n20_;
    bool _e245 = n20_;
    return Row {true, _e240, {}, _e243 ? _e242 : 0u, _e245};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& status [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_5 const& inv1_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_5& outv0_ [[user(fake0)]]
, threadgroup type_8& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint step = 0u;
    uint t0_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    uint t0_1 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
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
            uint _e576 = step;
            step = _e576 + 2u;
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
            uint quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e53 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e60 = args.inner[4].y;
            uint valid1_0_ = ((_e60 & 1u) != 0u) ? (_e53 >> (first_0_ & 31u)) : 15u;
            uint _e66 = step;
            uint base_1 = (start + ((_e66 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e93 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e100 = args.inner[4].y;
            uint valid1_1_ = ((_e100 & 1u) != 0u) ? (_e93 >> (first_1_ & 31u)) : 15u;
            {
                uint _e106 = step;
                uint k = _e106 + 0u;
                t0_ = 0u;
                {
                    Row _e127 = row(base + 0u, (quad0_0_ >> 0u) & 255u, (quad1_0_ >> 0u) & 255u, ((valid1_0_ >> 0u) & 1u) != 0u);
                    bool live = (base + 0u) < rows;
                    if (_e127.bad) {
                        local = live;
                    } else {
                        local = false;
                    }
                    bool _e135 = local;
                    if (_e135) {
                        uint _e140 = args.inner[1].y;
                        uint _e145 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e140), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 0u)), metal::memory_order_relaxed);
                    }
                    uint _e146 = t0_;
                    t0_ = _e146 | ((live ? (_e127.o0_ & 255u) : 0u) << 0u);
                    uint _e155 = n0_;
                    n0_ = _e155 | (((live & _e127.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    Row _e183 = row(base + 1u, (quad0_0_ >> 8u) & 255u, (quad1_0_ >> 8u) & 255u, ((valid1_0_ >> 1u) & 1u) != 0u);
                    bool live_1 = (base + 1u) < rows;
                    if (_e183.bad) {
                        local_1 = live_1;
                    } else {
                        local_1 = false;
                    }
                    bool _e191 = local_1;
                    if (_e191) {
                        uint _e196 = args.inner[1].y;
                        uint _e201 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e196), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 1u)), metal::memory_order_relaxed);
                    }
                    uint _e202 = t0_;
                    t0_ = _e202 | ((live_1 ? (_e183.o0_ & 255u) : 0u) << 8u);
                    uint _e211 = n0_;
                    n0_ = _e211 | (((live_1 & _e183.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    Row _e239 = row(base + 2u, (quad0_0_ >> 16u) & 255u, (quad1_0_ >> 16u) & 255u, ((valid1_0_ >> 2u) & 1u) != 0u);
                    bool live_2 = (base + 2u) < rows;
                    if (_e239.bad) {
                        local_2 = live_2;
                    } else {
                        local_2 = false;
                    }
                    bool _e247 = local_2;
                    if (_e247) {
                        uint _e252 = args.inner[1].y;
                        uint _e257 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e252), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 2u)), metal::memory_order_relaxed);
                    }
                    uint _e258 = t0_;
                    t0_ = _e258 | ((live_2 ? (_e239.o0_ & 255u) : 0u) << 16u);
                    uint _e267 = n0_;
                    n0_ = _e267 | (((live_2 & _e239.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    Row _e295 = row(base + 3u, (quad0_0_ >> 24u) & 255u, (quad1_0_ >> 24u) & 255u, ((valid1_0_ >> 3u) & 1u) != 0u);
                    bool live_3 = (base + 3u) < rows;
                    if (_e295.bad) {
                        local_3 = live_3;
                    } else {
                        local_3 = false;
                    }
                    bool _e303 = local_3;
                    if (_e303) {
                        uint _e308 = args.inner[1].y;
                        uint _e313 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e308), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 3u)), metal::memory_order_relaxed);
                    }
                    uint _e314 = t0_;
                    t0_ = _e314 | ((live_3 ? (_e295.o0_ & 255u) : 0u) << 24u);
                    uint _e323 = n0_;
                    n0_ = _e323 | (((live_3 & _e295.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                }
                if (base < rows) {
                    uint _e340 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size5 - 0 - 4) / 4)] = _e340;
                }
            }
            {
                uint _e341 = step;
                uint k_1 = _e341 + 1u;
                t0_1 = 0u;
                {
                    Row _e362 = row(base_1 + 0u, (quad0_1_ >> 0u) & 255u, (quad1_1_ >> 0u) & 255u, ((valid1_1_ >> 0u) & 1u) != 0u);
                    bool live_4 = (base_1 + 0u) < rows;
                    if (_e362.bad) {
                        local_4 = live_4;
                    } else {
                        local_4 = false;
                    }
                    bool _e370 = local_4;
                    if (_e370) {
                        uint _e375 = args.inner[1].y;
                        uint _e380 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e375), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 0u)), metal::memory_order_relaxed);
                    }
                    uint _e381 = t0_1;
                    t0_1 = _e381 | ((live_4 ? (_e362.o0_ & 255u) : 0u) << 0u);
                    uint _e390 = n0_;
                    n0_ = _e390 | (((live_4 & _e362.q0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                }
                {
                    Row _e418 = row(base_1 + 1u, (quad0_1_ >> 8u) & 255u, (quad1_1_ >> 8u) & 255u, ((valid1_1_ >> 1u) & 1u) != 0u);
                    bool live_5 = (base_1 + 1u) < rows;
                    if (_e418.bad) {
                        local_5 = live_5;
                    } else {
                        local_5 = false;
                    }
                    bool _e426 = local_5;
                    if (_e426) {
                        uint _e431 = args.inner[1].y;
                        uint _e436 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e431), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 1u)), metal::memory_order_relaxed);
                    }
                    uint _e437 = t0_1;
                    t0_1 = _e437 | ((live_5 ? (_e418.o0_ & 255u) : 0u) << 8u);
                    uint _e446 = n0_;
                    n0_ = _e446 | (((live_5 & _e418.q0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                }
                {
                    Row _e474 = row(base_1 + 2u, (quad0_1_ >> 16u) & 255u, (quad1_1_ >> 16u) & 255u, ((valid1_1_ >> 2u) & 1u) != 0u);
                    bool live_6 = (base_1 + 2u) < rows;
                    if (_e474.bad) {
                        local_6 = live_6;
                    } else {
                        local_6 = false;
                    }
                    bool _e482 = local_6;
                    if (_e482) {
                        uint _e487 = args.inner[1].y;
                        uint _e492 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e487), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 2u)), metal::memory_order_relaxed);
                    }
                    uint _e493 = t0_1;
                    t0_1 = _e493 | ((live_6 ? (_e474.o0_ & 255u) : 0u) << 16u);
                    uint _e502 = n0_;
                    n0_ = _e502 | (((live_6 & _e474.q0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                }
                {
                    Row _e530 = row(base_1 + 3u, (quad0_1_ >> 24u) & 255u, (quad1_1_ >> 24u) & 255u, ((valid1_1_ >> 3u) & 1u) != 0u);
                    bool live_7 = (base_1 + 3u) < rows;
                    if (_e530.bad) {
                        local_7 = live_7;
                    } else {
                        local_7 = false;
                    }
                    bool _e538 = local_7;
                    if (_e538) {
                        uint _e543 = args.inner[1].y;
                        uint _e548 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e543), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 3u)), metal::memory_order_relaxed);
                    }
                    uint _e549 = t0_1;
                    t0_1 = _e549 | ((live_7 ? (_e530.o0_ & 255u) : 0u) << 24u);
                    uint _e558 = n0_;
                    n0_ = _e558 | (((live_7 & _e530.q0_) ? 1u : 0u) << ((4u * k_1) + 3u));
                }
// … 37 more lines with the checksum a6841d5ece8f3943
