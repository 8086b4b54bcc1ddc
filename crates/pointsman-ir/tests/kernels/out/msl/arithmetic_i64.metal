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
typedef ulong type_6[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[6];
    long o0_;
    bool q0_;
    char _pad4[7];
};
struct type_10 {
    uint inner[128];
};

long div_i64_(
    long a,
    long b,
    thread bool& f
) {
    bool local_8 = {};
    bool local_9 = {};
    if (!((b == 0L))) {
        if (a == as_type<long>(as_type<ulong>(-9223372036854775807L) - as_type<ulong>(1L))) {
            local_9 = b == -1L;
        } else {
            local_9 = false;
        }
        bool _e17 = local_9;
        local_8 = _e17;
    } else {
        local_8 = true;
    }
    bool _e19 = local_8;
    if (_e19) {
        f = true;
        return 0L;
    }
    return a / b;
}

long rem_i64_(
    long a_1,
    long b_1,
    thread bool& f_1
) {
    if (b_1 == 0L) {
        f_1 = true;
        return 0L;
    }
    if (b_1 == -1L) {
        return 0L;
    }
    return a_1 % b_1;
}

long checked_add_i64_(
    long a_2,
    long b_2,
    thread bool& f_2
) {
    long r_1 = as_type<long>(as_type<ulong>(a_2) + as_type<ulong>(b_2));
    if (((a_2 ^ r_1) & (b_2 ^ r_1)) < 0L) {
        f_2 = true;
        return 0L;
    }
    return r_1;
}

long checked_sub_i64_(
    long a_3,
    long b_3,
    thread bool& f_3
) {
    long r_2 = as_type<long>(as_type<ulong>(a_3) - as_type<ulong>(b_3));
    if (((a_3 ^ b_3) & (a_3 ^ r_2)) < 0L) {
        f_3 = true;
        return 0L;
    }
    return r_2;
}

long checked_mul_i64_(
    long a_4,
    long b_4,
    thread bool& f_4
) {
    bool local_10 = {};
    bool local_11 = {};
    bool local_12 = {};
    bool local_13 = {};
    bool local_14 = {};
    bool local_15 = {};
    long r_3 = as_type<long>(as_type<ulong>(a_4) * as_type<ulong>(b_4));
    if (a_4 == -1L) {
        local_10 = b_4 == as_type<long>(as_type<ulong>(-9223372036854775807L) - as_type<ulong>(1L));
    } else {
        local_10 = false;
    }
    bool _e13 = local_10;
    if (!(_e13)) {
        if (b_4 == -1L) {
            local_12 = a_4 == as_type<long>(as_type<ulong>(-9223372036854775807L) - as_type<ulong>(1L));
        } else {
            local_12 = false;
        }
        bool _e26 = local_12;
        local_11 = _e26;
    } else {
        local_11 = true;
    }
    bool _e28 = local_11;
    if (!(_e28)) {
        if (a_4 != 0L) {
            local_14 = a_4 != -1L;
        } else {
            local_14 = false;
        }
        bool _e39 = local_14;
        if (_e39) {
            local_15 = (r_3 / a_4) != b_4;
        } else {
            local_15 = false;
        }
        bool _e45 = local_15;
        local_13 = _e45;
    } else {
        local_13 = true;
    }
    bool _e47 = local_13;
    if (_e47) {
        f_4 = true;
        return 0L;
    }
    return r_3;
}

Row row(
    uint r,
    long c0_,
    long c1_
) {
    bool bad = false;
    long v0_ = {};
    long v1_ = {};
    long v2_ = {};
    long v3_ = {};
    long v4_ = {};
    bool e5_ = false;
    long v5_ = {};
    bool e6_ = false;
    long v6_ = {};
    bool e7_ = false;
    long v7_ = {};
    bool e8_ = false;
    long v8_ = {};
    bool e9_ = false;
    long v9_ = {};
    long v10_ = {};
    long v11_ = {};
    long v12_ = {};
    long v13_ = {};
    long v14_ = {};
    long v15_ = {};
    long v16_ = {};
    long v17_ = {};
    long v18_ = {};
    long v19_ = {};
    long v20_ = {};
    long v21_ = {};
    long v22_ = {};
    long v23_ = {};
    long v24_ = {};
    long v25_ = {};
    long v26_ = {};
    bool local_16 = {};
    bool local_17 = {};
    bool local_18 = {};
    bool local_19 = {};
    bool local_20 = {};
    v0_ = c0_;
    v1_ = c1_;
    long _e7 = v0_;
    long _e8 = v1_;
    v2_ = as_type<long>(as_type<ulong>(_e7) + as_type<ulong>(_e8));
    long _e11 = v0_;
    long _e12 = v1_;
    v3_ = as_type<long>(as_type<ulong>(_e11) - as_type<ulong>(_e12));
    long _e15 = v0_;
    long _e16 = v1_;
    v4_ = as_type<long>(as_type<ulong>(_e15) * as_type<ulong>(_e16));
    long _e21 = v0_;
    long _e22 = v1_;
    long _e23 = div_i64_(_e21, _e22, e5_);
    v5_ = _e23;
    long _e27 = v0_;
    long _e28 = v1_;
    long _e29 = rem_i64_(_e27, _e28, e6_);
    v6_ = _e29;
    long _e33 = v0_;
    long _e34 = v1_;
    long _e35 = checked_add_i64_(_e33, _e34, e7_);
    v7_ = _e35;
    long _e39 = v0_;
    long _e40 = v1_;
    long _e41 = checked_sub_i64_(_e39, _e40, e8_);
    v8_ = _e41;
    long _e45 = v0_;
    long _e46 = v1_;
    long _e47 = checked_mul_i64_(_e45, _e46, e9_);
    v9_ = _e47;
    long _e50 = v0_;
    v10_ = as_type<long>(as_type<ulong>(0L) - as_type<ulong>(_e50));
    long _e53 = v0_;
    long _e55 = v0_;
    long _e57 = v0_;
    v11_ = (_e57 < 0L) ? as_type<long>(as_type<ulong>(0L) - as_type<ulong>(_e55)) : _e53;
    long _e64 = v0_;
    long _e69 = v0_;
    v12_ = (_e69 < 0L) ? -1L : ((_e64 > 0L) ? 1L : 0L);
    long _e74 = v0_;
    long _e75 = v1_;
    long _e76 = v1_;
    long _e77 = v0_;
    v13_ = (_e76 < _e77) ? _e75 : _e74;
    long _e81 = v0_;
    long _e82 = v1_;
    long _e83 = v1_;
    long _e84 = v0_;
    v14_ = (_e83 > _e84) ? _e82 : _e81;
    long _e88 = v2_;
    long _e89 = v3_;
    v15_ = _e88 ^ _e89;
    long _e92 = v15_;
    long _e93 = v4_;
    v16_ = _e92 ^ _e93;
    long _e96 = v16_;
    long _e97 = v5_;
    v17_ = _e96 ^ _e97;
    long _e100 = v17_;
    long _e101 = v6_;
    v18_ = _e100 ^ _e101;
    long _e104 = v18_;
    long _e105 = v7_;
    v19_ = _e104 ^ _e105;
    long _e108 = v19_;
    long _e109 = v8_;
    v20_ = _e108 ^ _e109;
    long _e112 = v20_;
    long _e113 = v9_;
    v21_ = _e112 ^ _e113;
    long _e116 = v21_;
    long _e117 = v10_;
    v22_ = _e116 ^ _e117;
    long _e120 = v22_;
    long _e121 = v11_;
    v23_ = _e120 ^ _e121;
    long _e124 = v23_;
    long _e125 = v12_;
    v24_ = _e124 ^ _e125;
    long _e128 = v24_;
    long _e129 = v13_;
    v25_ = _e128 ^ _e129;
    long _e132 = v25_;
    long _e133 = v14_;
    v26_ = _e132 ^ _e133;
    bool _e136 = bad;
    if (!(_e136)) {
        bool _e140 = e5_;
        local_16 = _e140;
    } else {
        local_16 = true;
    }
    bool _e142 = local_16;
    bad = _e142;
    bool _e143 = bad;
    if (!(_e143)) {
        bool _e147 = e6_;
        local_17 = _e147;
    } else {
        local_17 = true;
    }
    bool _e149 = local_17;
    bad = _e149;
    bool _e150 = bad;
    if (!(_e150)) {
        bool _e154 = e7_;
        local_18 = _e154;
    } else {
        local_18 = true;
    }
    bool _e156 = local_18;
    bad = _e156;
    bool _e157 = bad;
    if (!(_e157)) {
        bool _e161 = e8_;
        local_19 = _e161;
    } else {
        local_19 = true;
    }
    bool _e163 = local_19;
    bad = _e163;
    bool _e164 = bad;
    if (!(_e164)) {
        bool _e168 = e9_;
        local_20 = _e168;
    } else {
        local_20 = true;
    }
    bool _e170 = local_20;
    bad = _e170;
    bool _e172 = bad;
    long _e173 = v26_;
    return Row {true, _e172, {}, _e173, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& status [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_6 const& in1_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint step = 0u;
    bool local = {};
    bool local_1 = {};
    bool local_2 = {};
    bool local_3 = {};
    bool local_4 = {};
    bool local_5 = {};
    bool local_6 = {};
    bool local_7 = {};
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
            uint _e384 = step;
            step = _e384 + 2u;
        }
        loop_init = false;
        uint _e21 = step;
        if (_e21 < 8u) {
        } else {
            break;
        }
        {
            uint _e24 = step;
            uint base = (start + ((_e24 + 0u) * 512u)) + (lane * 4u);
            uint first_0_ = metal::min(base, last & 4294967292u);
            uint _e36 = step;
            uint base_1 = (start + ((_e36 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            {
                uint _e48 = step;
                uint k = _e48 + 0u;
                {
                    ulong _e58 = in0_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e65 = in1_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e67 = row(base + 0u, as_type<long>(_e58), as_type<long>(_e65));
                    bool live = (base + 0u) < rows;
                    if (_e67.bad) {
                        local = live;
                    } else {
                        local = false;
                    }
                    bool _e75 = local;
                    if (_e75) {
                        uint _e80 = args.inner[1].y;
                        uint _e85 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e80), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 0u)), metal::memory_order_relaxed);
                    }
                    if (live) {
                        out0_[metal::min(unsigned(base + 0u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e67.o0_);
                    }
                }
                {
                    ulong _e99 = in0_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e106 = in1_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e108 = row(base + 1u, as_type<long>(_e99), as_type<long>(_e106));
                    bool live_1 = (base + 1u) < rows;
                    if (_e108.bad) {
                        local_1 = live_1;
                    } else {
                        local_1 = false;
                    }
                    bool _e116 = local_1;
                    if (_e116) {
                        uint _e121 = args.inner[1].y;
                        uint _e126 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e121), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 1u)), metal::memory_order_relaxed);
                    }
                    if (live_1) {
                        out0_[metal::min(unsigned(base + 1u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e108.o0_);
                    }
                }
                {
                    ulong _e140 = in0_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e147 = in1_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e149 = row(base + 2u, as_type<long>(_e140), as_type<long>(_e147));
                    bool live_2 = (base + 2u) < rows;
                    if (_e149.bad) {
                        local_2 = live_2;
                    } else {
                        local_2 = false;
                    }
                    bool _e157 = local_2;
                    if (_e157) {
                        uint _e162 = args.inner[1].y;
                        uint _e167 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e162), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 2u)), metal::memory_order_relaxed);
                    }
                    if (live_2) {
                        out0_[metal::min(unsigned(base + 2u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e149.o0_);
                    }
                }
                {
                    ulong _e181 = in0_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e188 = in1_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e190 = row(base + 3u, as_type<long>(_e181), as_type<long>(_e188));
                    bool live_3 = (base + 3u) < rows;
                    if (_e190.bad) {
                        local_3 = live_3;
                    } else {
                        local_3 = false;
                    }
                    bool _e198 = local_3;
                    if (_e198) {
                        uint _e203 = args.inner[1].y;
                        uint _e208 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e203), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base + 3u)), metal::memory_order_relaxed);
                    }
                    if (live_3) {
                        out0_[metal::min(unsigned(base + 3u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e190.o0_);
                    }
                }
                if (base < rows) {
                }
            }
            {
                uint _e216 = step;
                uint k_1 = _e216 + 1u;
                {
                    ulong _e226 = in0_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e233 = in1_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e235 = row(base_1 + 0u, as_type<long>(_e226), as_type<long>(_e233));
                    bool live_4 = (base_1 + 0u) < rows;
                    if (_e235.bad) {
                        local_4 = live_4;
                    } else {
                        local_4 = false;
                    }
                    bool _e243 = local_4;
                    if (_e243) {
                        uint _e248 = args.inner[1].y;
                        uint _e253 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e248), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 0u)), metal::memory_order_relaxed);
                    }
                    if (live_4) {
                        out0_[metal::min(unsigned(base_1 + 0u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e235.o0_);
                    }
                }
                {
                    ulong _e267 = in0_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e274 = in1_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e276 = row(base_1 + 1u, as_type<long>(_e267), as_type<long>(_e274));
                    bool live_5 = (base_1 + 1u) < rows;
                    if (_e276.bad) {
                        local_5 = live_5;
                    } else {
                        local_5 = false;
                    }
                    bool _e284 = local_5;
                    if (_e284) {
                        uint _e289 = args.inner[1].y;
                        uint _e294 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e289), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 1u)), metal::memory_order_relaxed);
                    }
                    if (live_5) {
                        out0_[metal::min(unsigned(base_1 + 1u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e276.o0_);
                    }
                }
                {
                    ulong _e308 = in0_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e315 = in1_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e317 = row(base_1 + 2u, as_type<long>(_e308), as_type<long>(_e315));
                    bool live_6 = (base_1 + 2u) < rows;
                    if (_e317.bad) {
                        local_6 = live_6;
                    } else {
                        local_6 = false;
                    }
                    bool _e325 = local_6;
                    if (_e325) {
                        uint _e330 = args.inner[1].y;
                        uint _e335 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e330), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 2u)), metal::memory_order_relaxed);
                    }
                    if (live_6) {
                        out0_[metal::min(unsigned(base_1 + 2u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e317.o0_);
                    }
                }
                {
                    ulong _e349 = in0_[metal::min(unsigned(metal::min(base_1 + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e356 = in1_[metal::min(unsigned(metal::min(base_1 + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e358 = row(base_1 + 3u, as_type<long>(_e349), as_type<long>(_e356));
                    bool live_7 = (base_1 + 3u) < rows;
                    if (_e358.bad) {
                        local_7 = live_7;
                    } else {
                        local_7 = false;
                    }
                    bool _e366 = local_7;
                    if (_e366) {
                        uint _e371 = args.inner[1].y;
                        uint _e376 = metal::atomic_fetch_max_explicit(&status[metal::min(unsigned(_e371), (_buffer_sizes.size1 - 0 - 4) / 4)], ~((base_1 + 3u)), metal::memory_order_relaxed);
                    }
                    if (live_7) {
                        out0_[metal::min(unsigned(base_1 + 3u), (_buffer_sizes.size4 - 0 - 8) / 8)] = as_type<ulong>(_e358.o0_);
                    }
                }
                if (base_1 < rows) {
                }
            }
        }
    }
    return;
}
