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
typedef uint type_7[1];
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

Row row(
    uint r,
    long c0_,
    long c1_,
    bool d1_
) {
    bool bad = false;
    long v0_ = {};
    long v1_ = {};
    bool n1_ = {};
    long v2_ = {};
    bool n2_ = {};
    long v3_ = {};
    bool n3_ = {};
    long v4_ = {};
    long v5_ = {};
    bool n5_ = {};
    long v6_ = {};
    bool n6_ = {};
    long v7_ = {};
    bool local = {};
    bool n7_ = {};
    long v8_ = {};
    bool n8_ = {};
    long v9_ = {};
    bool local_1 = {};
    bool n9_ = {};
    long v10_ = {};
    bool local_2 = {};
    bool n10_ = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_ = d1_;
    long _e9 = v0_;
    long _e10 = v1_;
    v2_ = _e9 & _e10;
    bool _e13 = n1_;
    n2_ = _e13;
    long _e15 = v0_;
    long _e16 = v1_;
    v3_ = _e15 | _e16;
    bool _e19 = n1_;
    n3_ = _e19;
    long _e21 = v0_;
    v4_ = ~(_e21);
    long _e24 = v0_;
    long _e25 = v1_;
    v5_ = _e24 << static_cast<uint>(_e25 & 63L);
    bool _e31 = n1_;
    n5_ = _e31;
    long _e33 = v0_;
    long _e34 = v1_;
    v6_ = _e33 >> static_cast<uint>(_e34 & 63L);
    bool _e40 = n1_;
    n6_ = _e40;
    long _e42 = v2_;
    long _e43 = v3_;
    v7_ = _e42 ^ _e43;
    bool _e46 = n2_;
    if (_e46) {
        bool _e49 = n3_;
        local = _e49;
    } else {
        local = false;
    }
    bool _e51 = local;
    n7_ = _e51;
    long _e53 = v7_;
    long _e54 = v4_;
    v8_ = _e53 ^ _e54;
    bool _e57 = n7_;
    n8_ = _e57;
    long _e59 = v8_;
    long _e60 = v5_;
    v9_ = _e59 ^ _e60;
    bool _e63 = n8_;
    if (_e63) {
        bool _e66 = n5_;
        local_1 = _e66;
    } else {
        local_1 = false;
    }
    bool _e68 = local_1;
    n9_ = _e68;
    long _e70 = v9_;
    long _e71 = v6_;
    v10_ = _e70 ^ _e71;
    bool _e74 = n9_;
    if (_e74) {
        bool _e77 = n6_;
        local_2 = _e77;
    } else {
        local_2 = false;
    }
    bool _e79 = local_2;
    n10_ = _e79;
    bool _e82 = bad;
    long _e84 = v10_;
    bool _e85 = n10_;
    bool _e87 = n10_;
    return Row {true, _e82, {}, _e85 ? _e84 : 0L, _e87};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_6 const& in0_ [[user(fake0)]]
, device type_6 const& in1_ [[user(fake0)]]
, device type_7 const& inv1_ [[user(fake0)]]
, device type_6& out0_ [[user(fake0)]]
, device type_7& outv0_ [[user(fake0)]]
, threadgroup type_10& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint step = 0u;
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
            uint _e866 = step;
            step = _e866 + 4u;
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
            uint _e43 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e50 = args.inner[4].y;
            uint valid1_0_ = ((_e50 & 1u) != 0u) ? (_e43 >> (first_0_ & 31u)) : 15u;
            uint _e56 = step;
            uint base_1 = (start + ((_e56 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint _e73 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e80 = args.inner[4].y;
            uint valid1_1_ = ((_e80 & 1u) != 0u) ? (_e73 >> (first_1_ & 31u)) : 15u;
            uint _e86 = step;
            uint base_2 = (start + ((_e86 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint _e103 = inv1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e110 = args.inner[4].y;
            uint valid1_2_ = ((_e110 & 1u) != 0u) ? (_e103 >> (first_2_ & 31u)) : 15u;
            uint _e116 = step;
            uint base_3 = (start + ((_e116 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint _e133 = inv1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e140 = args.inner[4].y;
            uint valid1_3_ = ((_e140 & 1u) != 0u) ? (_e133 >> (first_3_ & 31u)) : 15u;
            {
                uint _e146 = step;
                uint k = _e146 + 0u;
                {
                    ulong _e156 = in0_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e163 = in1_[metal::min(unsigned(metal::min(base + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e171 = row(base + 0u, as_type<long>(_e156), as_type<long>(_e163), ((valid1_0_ >> 0u) & 1u) != 0u);
                    bool live = (base + 0u) < rows;
                    if (live) {
                        out0_[metal::min(unsigned(base + 0u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e171.o0_);
                    }
                    uint _e181 = n0_;
                    n0_ = _e181 | (((live & _e171.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                }
                {
                    ulong _e200 = in0_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e207 = in1_[metal::min(unsigned(metal::min(base + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e215 = row(base + 1u, as_type<long>(_e200), as_type<long>(_e207), ((valid1_0_ >> 1u) & 1u) != 0u);
                    bool live_1 = (base + 1u) < rows;
                    if (live_1) {
                        out0_[metal::min(unsigned(base + 1u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e215.o0_);
                    }
                    uint _e225 = n0_;
                    n0_ = _e225 | (((live_1 & _e215.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                }
                {
                    ulong _e244 = in0_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e251 = in1_[metal::min(unsigned(metal::min(base + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e259 = row(base + 2u, as_type<long>(_e244), as_type<long>(_e251), ((valid1_0_ >> 2u) & 1u) != 0u);
                    bool live_2 = (base + 2u) < rows;
                    if (live_2) {
                        out0_[metal::min(unsigned(base + 2u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e259.o0_);
                    }
                    uint _e269 = n0_;
                    n0_ = _e269 | (((live_2 & _e259.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                }
                {
                    ulong _e288 = in0_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e295 = in1_[metal::min(unsigned(metal::min(base + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e303 = row(base + 3u, as_type<long>(_e288), as_type<long>(_e295), ((valid1_0_ >> 3u) & 1u) != 0u);
                    bool live_3 = (base + 3u) < rows;
                    if (live_3) {
                        out0_[metal::min(unsigned(base + 3u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e303.o0_);
                    }
                    uint _e313 = n0_;
                    n0_ = _e313 | (((live_3 & _e303.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                }
                if (base < rows) {
                }
            }
            {
                uint _e326 = step;
                uint k_1 = _e326 + 1u;
                {
                    ulong _e336 = in0_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e343 = in1_[metal::min(unsigned(metal::min(base_1 + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e351 = row(base_1 + 0u, as_type<long>(_e336), as_type<long>(_e343), ((valid1_1_ >> 0u) & 1u) != 0u);
                    bool live_4 = (base_1 + 0u) < rows;
                    if (live_4) {
                        out0_[metal::min(unsigned(base_1 + 0u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e351.o0_);
                    }
                    uint _e361 = n0_;
                    n0_ = _e361 | (((live_4 & _e351.q0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                }
                {
                    ulong _e380 = in0_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e387 = in1_[metal::min(unsigned(metal::min(base_1 + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e395 = row(base_1 + 1u, as_type<long>(_e380), as_type<long>(_e387), ((valid1_1_ >> 1u) & 1u) != 0u);
                    bool live_5 = (base_1 + 1u) < rows;
                    if (live_5) {
                        out0_[metal::min(unsigned(base_1 + 1u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e395.o0_);
                    }
                    uint _e405 = n0_;
                    n0_ = _e405 | (((live_5 & _e395.q0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                }
                {
                    ulong _e424 = in0_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e431 = in1_[metal::min(unsigned(metal::min(base_1 + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e439 = row(base_1 + 2u, as_type<long>(_e424), as_type<long>(_e431), ((valid1_1_ >> 2u) & 1u) != 0u);
                    bool live_6 = (base_1 + 2u) < rows;
                    if (live_6) {
                        out0_[metal::min(unsigned(base_1 + 2u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e439.o0_);
                    }
                    uint _e449 = n0_;
                    n0_ = _e449 | (((live_6 & _e439.q0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                }
                {
                    ulong _e468 = in0_[metal::min(unsigned(metal::min(base_1 + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e475 = in1_[metal::min(unsigned(metal::min(base_1 + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e483 = row(base_1 + 3u, as_type<long>(_e468), as_type<long>(_e475), ((valid1_1_ >> 3u) & 1u) != 0u);
                    bool live_7 = (base_1 + 3u) < rows;
                    if (live_7) {
                        out0_[metal::min(unsigned(base_1 + 3u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e483.o0_);
                    }
                    uint _e493 = n0_;
                    n0_ = _e493 | (((live_7 & _e483.q0_) ? 1u : 0u) << ((4u * k_1) + 3u));
                }
                if (base_1 < rows) {
                }
            }
            {
                uint _e506 = step;
                uint k_2 = _e506 + 2u;
                {
                    ulong _e516 = in0_[metal::min(unsigned(metal::min(base_2 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e523 = in1_[metal::min(unsigned(metal::min(base_2 + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e531 = row(base_2 + 0u, as_type<long>(_e516), as_type<long>(_e523), ((valid1_2_ >> 0u) & 1u) != 0u);
                    bool live_8 = (base_2 + 0u) < rows;
                    if (live_8) {
                        out0_[metal::min(unsigned(base_2 + 0u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e531.o0_);
                    }
                    uint _e541 = n0_;
                    n0_ = _e541 | (((live_8 & _e531.q0_) ? 1u : 0u) << ((4u * k_2) + 0u));
                }
                {
                    ulong _e560 = in0_[metal::min(unsigned(metal::min(base_2 + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e567 = in1_[metal::min(unsigned(metal::min(base_2 + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e575 = row(base_2 + 1u, as_type<long>(_e560), as_type<long>(_e567), ((valid1_2_ >> 1u) & 1u) != 0u);
                    bool live_9 = (base_2 + 1u) < rows;
                    if (live_9) {
                        out0_[metal::min(unsigned(base_2 + 1u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e575.o0_);
                    }
                    uint _e585 = n0_;
                    n0_ = _e585 | (((live_9 & _e575.q0_) ? 1u : 0u) << ((4u * k_2) + 1u));
                }
                {
                    ulong _e604 = in0_[metal::min(unsigned(metal::min(base_2 + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e611 = in1_[metal::min(unsigned(metal::min(base_2 + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e619 = row(base_2 + 2u, as_type<long>(_e604), as_type<long>(_e611), ((valid1_2_ >> 2u) & 1u) != 0u);
                    bool live_10 = (base_2 + 2u) < rows;
                    if (live_10) {
                        out0_[metal::min(unsigned(base_2 + 2u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e619.o0_);
                    }
                    uint _e629 = n0_;
                    n0_ = _e629 | (((live_10 & _e619.q0_) ? 1u : 0u) << ((4u * k_2) + 2u));
                }
                {
                    ulong _e648 = in0_[metal::min(unsigned(metal::min(base_2 + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e655 = in1_[metal::min(unsigned(metal::min(base_2 + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e663 = row(base_2 + 3u, as_type<long>(_e648), as_type<long>(_e655), ((valid1_2_ >> 3u) & 1u) != 0u);
                    bool live_11 = (base_2 + 3u) < rows;
                    if (live_11) {
                        out0_[metal::min(unsigned(base_2 + 3u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e663.o0_);
                    }
                    uint _e673 = n0_;
                    n0_ = _e673 | (((live_11 & _e663.q0_) ? 1u : 0u) << ((4u * k_2) + 3u));
                }
                if (base_2 < rows) {
                }
            }
            {
                uint _e686 = step;
                uint k_3 = _e686 + 3u;
                {
                    ulong _e696 = in0_[metal::min(unsigned(metal::min(base_3 + 0u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e703 = in1_[metal::min(unsigned(metal::min(base_3 + 0u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e711 = row(base_3 + 0u, as_type<long>(_e696), as_type<long>(_e703), ((valid1_3_ >> 0u) & 1u) != 0u);
                    bool live_12 = (base_3 + 0u) < rows;
                    if (live_12) {
                        out0_[metal::min(unsigned(base_3 + 0u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e711.o0_);
                    }
                    uint _e721 = n0_;
                    n0_ = _e721 | (((live_12 & _e711.q0_) ? 1u : 0u) << ((4u * k_3) + 0u));
                }
                {
                    ulong _e740 = in0_[metal::min(unsigned(metal::min(base_3 + 1u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e747 = in1_[metal::min(unsigned(metal::min(base_3 + 1u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e755 = row(base_3 + 1u, as_type<long>(_e740), as_type<long>(_e747), ((valid1_3_ >> 1u) & 1u) != 0u);
                    bool live_13 = (base_3 + 1u) < rows;
                    if (live_13) {
                        out0_[metal::min(unsigned(base_3 + 1u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e755.o0_);
                    }
                    uint _e765 = n0_;
                    n0_ = _e765 | (((live_13 & _e755.q0_) ? 1u : 0u) << ((4u * k_3) + 1u));
                }
                {
                    ulong _e784 = in0_[metal::min(unsigned(metal::min(base_3 + 2u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e791 = in1_[metal::min(unsigned(metal::min(base_3 + 2u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e799 = row(base_3 + 2u, as_type<long>(_e784), as_type<long>(_e791), ((valid1_3_ >> 2u) & 1u) != 0u);
                    bool live_14 = (base_3 + 2u) < rows;
                    if (live_14) {
                        out0_[metal::min(unsigned(base_3 + 2u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e799.o0_);
                    }
                    uint _e809 = n0_;
                    n0_ = _e809 | (((live_14 & _e799.q0_) ? 1u : 0u) << ((4u * k_3) + 2u));
                }
                {
                    ulong _e828 = in0_[metal::min(unsigned(metal::min(base_3 + 3u, last)), (_buffer_sizes.size2 - 0 - 8) / 8)];
                    ulong _e835 = in1_[metal::min(unsigned(metal::min(base_3 + 3u, last)), (_buffer_sizes.size3 - 0 - 8) / 8)];
                    Row _e843 = row(base_3 + 3u, as_type<long>(_e828), as_type<long>(_e835), ((valid1_3_ >> 3u) & 1u) != 0u);
                    bool live_15 = (base_3 + 3u) < rows;
                    if (live_15) {
                        out0_[metal::min(unsigned(base_3 + 3u), (_buffer_sizes.size5 - 0 - 8) / 8)] = as_type<ulong>(_e843.o0_);
                    }
                    uint _e853 = n0_;
                    n0_ = _e853 | (((live_15 & _e843.q0_) ? 1u : 0u) << ((4u * k_3) + 3u));
                }
                if (base_3 < rows) {
                }
            }
        }
// … 31 more lines with the checksum 169b2db09114d9c4
