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
typedef metal::uint4 type_5[1];
typedef uint type_6[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    int o0_;
    bool q0_;
    char _pad4[3];
};
struct type_10 {
    uint inner[128];
};

int div_i32_(
    int a,
    int b_1,
    thread bool& f
) {
    bool local_8 = {};
    bool local_9 = {};
    if (!((b_1 == 0))) {
        if (a == (-2147483647 - 1)) {
            local_9 = b_1 == -1;
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
    return a / b_1;
}

int rem_i32_(
    int a_1,
    int b_2,
    thread bool& f_1
) {
    if (b_2 == 0) {
        f_1 = true;
        return 0;
    }
    if (b_2 == -1) {
        return 0;
    }
    return a_1 % b_2;
}

int checked_add_i32_(
    int a_2,
    int b_3,
    thread bool& f_2
) {
    int r_1 = as_type<int>(as_type<uint>(a_2) + as_type<uint>(b_3));
    if (((a_2 ^ r_1) & (b_3 ^ r_1)) < 0) {
        f_2 = true;
        return 0;
    }
    return r_1;
}

int checked_sub_i32_(
    int a_3,
    int b_4,
    thread bool& f_3
) {
    int r_2 = as_type<int>(as_type<uint>(a_3) - as_type<uint>(b_4));
    if (((a_3 ^ b_4) & (a_3 ^ r_2)) < 0) {
        f_3 = true;
        return 0;
    }
    return r_2;
}

int checked_mul_i32_(
    int a_4,
    int b_5,
    thread bool& f_4
) {
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    int r_3 = as_type<int>(as_type<uint>(a_4) * as_type<uint>(b_5));
    if (a_4 == -1) {
        local_10 = b_5 == (-2147483647 - 1);
    } else {
        local_10 = false;
    }
    bool _e11 = local_10;
    if (!(_e11)) {
        if (b_5 == -1) {
            local_12 = a_4 == (-2147483647 - 1);
        } else {
            local_12 = false;
        }
        bool _e22 = local_12;
        local_11 = _e22;
    } else {
        local_11 = true;
    }
    bool _e24 = local_11;
    if (!(_e24)) {
        if (a_4 != 0) {
            local_14 = a_4 != -1;
        } else {
            local_14 = false;
        }
        bool _e35 = local_14;
        if (_e35) {
            local_15 = (r_3 / a_4) != b_5;
        } else {
            local_15 = false;
        }
        bool _e41 = local_15;
        local_13 = _e41;
    } else {
        local_13 = true;
    }
    bool _e43 = local_13;
    if (_e43) {
        f_4 = true;
        return 0;
    }
    return r_3;
}

Row row(
    uint r,
    int c0_,
    int c1_,
    bool d1_
) {
    bool bad = false;
    int v0_ = {};
    int v1_ = {};
    bool n1_ = {};
    int v2_ = {};
    bool n2_ = {};
    int v3_ = {};
    bool n3_ = {};
    int v4_ = {};
    bool n4_ = {};
    bool e5_ = false;
    int v5_ = {};
    bool n5_ = {};
    bool local_16 = {};
    bool e6_ = false;
    int v6_ = {};
    bool n6_ = {};
    bool local_17 = {};
    bool e7_ = false;
    int v7_ = {};
    bool n7_ = {};
    bool local_18 = {};
    bool e8_ = false;
    int v8_ = {};
    bool n8_ = {};
    bool local_19 = {};
    bool e9_ = false;
    int v9_ = {};
    bool n9_ = {};
    bool local_20 = {};
    int v10_ = {};
    int v11_ = {};
    int v12_ = {};
    int v13_ = {};
    bool n13_ = {};
    int v14_ = {};
    bool n14_ = {};
    int v15_ = {};
    bool n15_ = {};
    int v16_ = {};
    bool local_21 = {};
    bool n16_ = {};
    int v17_ = {};
    bool local_22 = {};
    bool n17_ = {};
    int v18_ = {};
    bool local_23 = {};
    bool n18_ = {};
    int v19_ = {};
    bool local_24 = {};
    bool n19_ = {};
    int v20_ = {};
    bool local_25 = {};
    bool n20_ = {};
    int v21_ = {};
    bool local_26 = {};
    bool n21_ = {};
    int v22_ = {};
    bool local_27 = {};
    bool n22_ = {};
    int v23_ = {};
    bool n23_ = {};
    int v24_ = {};
    bool n24_ = {};
    int v25_ = {};
    bool n25_ = {};
    int v26_ = {};
    bool local_28 = {};
    bool n26_ = {};
    int v27_ = {};
    bool local_29 = {};
    bool n27_ = {};
    int v28_ = {};
    bool local_30 = {};
    bool n28_ = {};
    bool local_31 = {};
    bool local_32 = {};
    bool local_33 = {};
    bool local_34 = {};
    bool local_35 = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_ = d1_;
    int _e9 = v0_;
    int _e10 = v1_;
    v2_ = as_type<int>(as_type<uint>(_e9) + as_type<uint>(_e10));
    bool _e13 = n1_;
    n2_ = _e13;
    int _e15 = v0_;
    int _e16 = v1_;
    v3_ = as_type<int>(as_type<uint>(_e15) - as_type<uint>(_e16));
    bool _e19 = n1_;
    n3_ = _e19;
    int _e21 = v0_;
    int _e22 = v1_;
    v4_ = as_type<int>(as_type<uint>(_e21) * as_type<uint>(_e22));
    bool _e25 = n1_;
    n4_ = _e25;
    int _e29 = v0_;
    int _e30 = v1_;
    int _e31 = div_i32_(_e29, _e30, e5_);
    v5_ = _e31;
    bool _e33 = n1_;
    n5_ = _e33;
    bool _e35 = e5_;
    if (_e35) {
        bool _e38 = n1_;
        local_16 = _e38;
    } else {
        local_16 = false;
    }
    bool _e40 = local_16;
    e5_ = _e40;
    int _e43 = v0_;
    int _e44 = v1_;
    int _e45 = rem_i32_(_e43, _e44, e6_);
    v6_ = _e45;
    bool _e47 = n1_;
    n6_ = _e47;
    bool _e49 = e6_;
    if (_e49) {
        bool _e52 = n1_;
        local_17 = _e52;
    } else {
        local_17 = false;
    }
    bool _e54 = local_17;
    e6_ = _e54;
    int _e57 = v0_;
    int _e58 = v1_;
    int _e59 = checked_add_i32_(_e57, _e58, e7_);
    v7_ = _e59;
    bool _e61 = n1_;
    n7_ = _e61;
    bool _e63 = e7_;
    if (_e63) {
        bool _e66 = n1_;
        local_18 = _e66;
    } else {
        local_18 = false;
    }
    bool _e68 = local_18;
    e7_ = _e68;
    int _e71 = v0_;
    int _e72 = v1_;
    int _e73 = checked_sub_i32_(_e71, _e72, e8_);
    v8_ = _e73;
    bool _e75 = n1_;
    n8_ = _e75;
    bool _e77 = e8_;
    if (_e77) {
        bool _e80 = n1_;
        local_19 = _e80;
    } else {
        local_19 = false;
    }
    bool _e82 = local_19;
    e8_ = _e82;
    int _e85 = v0_;
    int _e86 = v1_;
    int _e87 = checked_mul_i32_(_e85, _e86, e9_);
    v9_ = _e87;
    bool _e89 = n1_;
    n9_ = _e89;
    bool _e91 = e9_;
    if (_e91) {
        bool _e94 = n1_;
        local_20 = _e94;
    } else {
        local_20 = false;
    }
    bool _e96 = local_20;
    e9_ = _e96;
    int _e98 = v0_;
    v10_ = as_type<int>(as_type<uint>(0) - as_type<uint>(_e98));
    int _e101 = v0_;
    int _e103 = v0_;
    int _e105 = v0_;
    v11_ = (_e105 < 0) ? as_type<int>(as_type<uint>(0) - as_type<uint>(_e103)) : _e101;
    int _e112 = v0_;
    int _e117 = v0_;
    v12_ = (_e117 < 0) ? -1 : ((_e112 > 0) ? 1 : 0);
    int _e122 = v0_;
    int _e123 = v1_;
    int _e124 = v1_;
    int _e125 = v0_;
    v13_ = (_e124 < _e125) ? _e123 : _e122;
    bool _e129 = n1_;
    n13_ = _e129;
    int _e131 = v0_;
    int _e132 = v1_;
    int _e133 = v1_;
    int _e134 = v0_;
    v14_ = (_e133 > _e134) ? _e132 : _e131;
    bool _e138 = n1_;
    n14_ = _e138;
    int _e140 = v0_;
    int _e141 = v1_;
    int _e142 = v1_;
    int _e143 = v0_;
    int _e146 = v0_;
    int _e147 = v0_;
    int _e148 = v0_;
    int _e149 = v1_;
    int _e150 = v1_;
    int _e151 = v0_;
    v15_ = (_e147 < ((_e150 > _e151) ? _e149 : _e148)) ? _e146 : ((_e142 > _e143) ? _e141 : _e140);
    bool _e157 = n1_;
    n15_ = _e157;
    int _e159 = v2_;
    int _e160 = v3_;
    v16_ = _e159 ^ _e160;
    bool _e163 = n2_;
    if (_e163) {
        bool _e166 = n3_;
        local_21 = _e166;
    } else {
        local_21 = false;
    }
    bool _e168 = local_21;
    n16_ = _e168;
    int _e170 = v16_;
    int _e171 = v4_;
    v17_ = _e170 ^ _e171;
    bool _e174 = n16_;
    if (_e174) {
        bool _e177 = n4_;
        local_22 = _e177;
    } else {
        local_22 = false;
    }
    bool _e179 = local_22;
    n17_ = _e179;
    int _e181 = v17_;
    int _e182 = v5_;
    v18_ = _e181 ^ _e182;
    bool _e185 = n17_;
    if (_e185) {
        bool _e188 = n5_;
        local_23 = _e188;
    } else {
        local_23 = false;
    }
    bool _e190 = local_23;
    n18_ = _e190;
    int _e192 = v18_;
    int _e193 = v6_;
    v19_ = _e192 ^ _e193;
    bool _e196 = n18_;
    if (_e196) {
        bool _e199 = n6_;
        local_24 = _e199;
    } else {
        local_24 = false;
    }
    bool _e201 = local_24;
    n19_ = _e201;
    int _e203 = v19_;
    int _e204 = v7_;
    v20_ = _e203 ^ _e204;
    bool _e207 = n19_;
    if (_e207) {
        bool _e210 = n7_;
        local_25 = _e210;
    } else {
        local_25 = false;
    }
    bool _e212 = local_25;
    n20_ = _e212;
    int _e214 = v20_;
    int _e215 = v8_;
    v21_ = _e214 ^ _e215;
    bool _e218 = n20_;
    if (_e218) {
        bool _e221 = n8_;
        local_26 = _e221;
    } else {
        local_26 = false;
    }
    bool _e223 = local_26;
    n21_ = _e223;
    int _e225 = v21_;
    int _e226 = v9_;
    v22_ = _e225 ^ _e226;
    bool _e229 = n21_;
    if (_e229) {
        bool _e232 = n9_;
        local_27 = _e232;
    } else {
        local_27 = false;
    }
    bool _e234 = local_27;
    n22_ = _e234;
    int _e236 = v22_;
    int _e237 = v10_;
    v23_ = _e236 ^ _e237;
    bool _e240 = n22_;
    n23_ = _e240;
    int _e242 = v23_;
    int _e243 = v11_;
    v24_ = _e242 ^ _e243;
    bool _e246 = n23_;
    n24_ = _e246;
    int _e248 = v24_;
    int _e249 = v12_;
    v25_ = _e248 ^ _e249;
    bool _e252 = n24_;
    n25_ = _e252;
    int _e254 = v25_;
    int _e255 = v13_;
    v26_ = _e254 ^ _e255;
    bool _e258 = n25_;
    if (_e258) {
        bool _e261 = n13_;
        local_28 = _e261;
    } else {
        local_28 = false;
    }
    bool _e263 = local_28;
    n26_ = _e263;
    int _e265 = v26_;
    int _e266 = v14_;
    v27_ = _e265 ^ _e266;
    bool _e269 = n26_;
    if (_e269) {
        bool _e272 = n14_;
        local_29 = _e272;
    } else {
        local_29 = false;
    }
    bool _e274 = local_29;
    n27_ = _e274;
    int _e276 = v27_;
    int _e277 = v15_;
    v28_ = _e276 ^ _e277;
    bool _e280 = n27_;
    if (_e280) {
        bool _e283 = n15_;
        local_30 = _e283;
    } else {
        local_30 = false;
    }
    bool _e285 = local_30;
    n28_ = _e285;
    bool _e287 = bad;
    if (!(_e287)) {
        bool _e291 = e5_;
        local_31 = _e291;
    } else {
        local_31 = true;
    }
    bool _e293 = local_31;
    bad = _e293;
    bool _e294 = bad;
    if (!(_e294)) {
        bool _e298 = e6_;
        local_32 = _e298;
    } else {
        local_32 = true;
    }
    bool _e300 = local_32;
    bad = _e300;
    bool _e301 = bad;
    if (!(_e301)) {
        bool _e305 = e7_;
        local_33 = _e305;
    } else {
        local_33 = true;
    }
    bool _e307 = local_33;
    bad = _e307;
    bool _e308 = bad;
    if (!(_e308)) {
        bool _e312 = e8_;
        local_34 = _e312;
    } else {
        local_34 = true;
    }
    bool _e314 = local_34;
    bad = _e314;
    bool _e315 = bad;
    if (!(_e315)) {
        bool _e319 = e9_;
        local_35 = _e319;
    } else {
        local_35 = true;
    }
    bool _e321 = local_35;
    bad = _e321;
    bool _e323 = bad;
    int _e325 = v28_;
    bool _e326 = n28_;
    bool _e328 = n28_;
    return Row {true, _e323, {}, _e326 ? _e325 : 0, _e328};
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
, device type_6 const& inv1_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_6& outv0_ [[user(fake0)]]
, threadgroup type_10& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint step = 0u;
    metal::uint4 t0_ = {};
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    metal::uint4 t0_1 = {};
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
            uint _e512 = step;
            step = _e512 + 2u;
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
            uint _e53 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e60 = args.inner[4].y;
            uint valid1_0_ = ((_e60 & 1u) != 0u) ? (_e53 >> (first_0_ & 31u)) : 15u;
            uint _e66 = step;
            uint base_1 = (start + ((_e66 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 16) / 16)];
            uint _e93 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e100 = args.inner[4].y;
            uint valid1_1_ = ((_e100 & 1u) != 0u) ? (_e93 >> (first_1_ & 31u)) : 15u;
            {
                uint _e106 = step;
                uint k = _e106 + 0u;
                t0_ = metal::uint4 {};
                {
                    Row _e123 = row(base + 0u, as_type<int>(quad0_0_.x), as_type<int>(quad1_0_.x), ((valid1_0_ >> 0u) & 1u) != 0u);
                    bool live = (base + 0u) < rows;
                    if (_e123.bad) {
                        local = live;
                    } else {
                        local = false;
                    }
                    bool _e131 = local;
                    if (_e131) {
                        uint _e136 = args.inner[1].y;
                        uint _e141 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e136), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 0u)), metal::memory_order_relaxed);
                    }
                    t0_.x = live ? as_type<uint>(_e123.o0_) : 0u;
                    uint _e147 = n0_;
                    n0_ = _e147 | (((live & _e123.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    Row _e171 = row(base + 1u, as_type<int>(quad0_0_.y), as_type<int>(quad1_0_.y), ((valid1_0_ >> 1u) & 1u) != 0u);
                    bool live_1 = (base + 1u) < rows;
                    if (_e171.bad) {
                        local_1 = live_1;
                    } else {
                        local_1 = false;
                    }
                    bool _e179 = local_1;
                    if (_e179) {
                        uint _e184 = args.inner[1].y;
                        uint _e189 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e184), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 1u)), metal::memory_order_relaxed);
                    }
                    t0_.y = live_1 ? as_type<uint>(_e171.o0_) : 0u;
                    uint _e195 = n0_;
                    n0_ = _e195 | (((live_1 & _e171.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    Row _e219 = row(base + 2u, as_type<int>(quad0_0_.z), as_type<int>(quad1_0_.z), ((valid1_0_ >> 2u) & 1u) != 0u);
                    bool live_2 = (base + 2u) < rows;
                    if (_e219.bad) {
                        local_2 = live_2;
                    } else {
                        local_2 = false;
                    }
                    bool _e227 = local_2;
                    if (_e227) {
                        uint _e232 = args.inner[1].y;
                        uint _e237 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e232), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 2u)), metal::memory_order_relaxed);
                    }
                    t0_.z = live_2 ? as_type<uint>(_e219.o0_) : 0u;
                    uint _e243 = n0_;
                    n0_ = _e243 | (((live_2 & _e219.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    Row _e267 = row(base + 3u, as_type<int>(quad0_0_.w), as_type<int>(quad1_0_.w), ((valid1_0_ >> 3u) & 1u) != 0u);
                    bool live_3 = (base + 3u) < rows;
                    if (_e267.bad) {
                        local_3 = live_3;
                    } else {
                        local_3 = false;
                    }
                    bool _e275 = local_3;
                    if (_e275) {
                        uint _e280 = args.inner[1].y;
                        uint _e285 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e280), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 3u)), metal::memory_order_relaxed);
                    }
                    t0_.w = live_3 ? as_type<uint>(_e267.o0_) : 0u;
                    uint _e291 = n0_;
                    n0_ = _e291 | (((live_3 & _e267.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                }
                if (base < rows) {
                    metal::uint4 _e308 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e308;
                }
            }
            {
                uint _e309 = step;
                uint k_1 = _e309 + 1u;
                t0_1 = metal::uint4 {};
                {
// … 104 more lines with the checksum 2183c139ba1d6c2a
