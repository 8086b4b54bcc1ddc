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
    metal::uint4 inner[5];
};
typedef metal::atomic_uint type_4[1];
typedef uint type_5[1];
typedef metal::uint2 type_7[1];
struct Row {
    bool selected;
    bool bad;
    char _pad2[2];
    int o0_;
    bool q0_;
    char _pad4[3];
    int o1_;
    bool q1_;
    char _pad6[3];
    uint o2_;
    bool q2_;
    char _pad8[3];
};
struct type_10 {
    uint inner[128];
};

Row row(
    uint r,
    int c0_,
    int c1_,
    bool d1_,
    uint c2_
) {
    bool bad = false;
    int v0_ = {};
    int v1_ = {};
    bool n1_1 = {};
    uint v2_ = {};
    int v3_ = {};
    int v4_ = {};
    bool n4_ = {};
    uint v5_ = {};
    v0_ = c0_;
    v1_ = c1_;
    n1_1 = d1_;
    v2_ = c2_;
    int _e12 = v0_;
    v3_ = (as_type<int>(as_type<uint>(0) - as_type<uint>(_e12)) << 24u) >> 24u;
    int _e19 = v1_;
    int _e21 = v1_;
    int _e23 = v1_;
    v4_ = (((_e23 < 0) ? as_type<int>(as_type<uint>(0) - as_type<uint>(_e21)) : _e19) << 16u) >> 16u;
    bool _e32 = n1_1;
    n4_ = _e32;
    uint _e34 = v2_;
    uint _e35 = v2_;
    v5_ = (_e34 + _e35) & 65535u;
    bool _e41 = bad;
    int _e42 = v3_;
    int _e45 = v4_;
    bool _e46 = n4_;
    bool _e48 = n4_;
    uint _e49 = v5_;
    return Row {true, _e41, {}, _e42, true, {}, _e46 ? _e45 : 0, _e48, {}, _e49, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_7 const& in1_ [[user(fake0)]]
, device type_5 const& inv1_ [[user(fake0)]]
, device type_7 const& in2_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_7& out1_ [[user(fake0)]]
, device type_5& outv1_ [[user(fake0)]]
, device type_7& out2_ [[user(fake0)]]
, threadgroup type_10& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n1_ = 0u;
    uint step = 0u;
    uint t0_ = {};
    metal::uint2 t1_ = {};
    metal::uint2 t2_ = {};
    uint t0_1 = {};
    metal::uint2 t1_1 = {};
    metal::uint2 t2_1 = {};
    uint t0_2 = {};
    metal::uint2 t1_2 = {};
    metal::uint2 t2_2 = {};
    uint t0_3 = {};
    metal::uint2 t1_3 = {};
    metal::uint2 t2_3 = {};
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
            uint _e1474 = step;
            step = _e1474 + 4u;
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
            metal::uint2 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e53 = inv1_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e60 = args.inner[4].y;
            uint valid1_0_ = ((_e60 & 1u) != 0u) ? (_e53 >> (first_0_ & 31u)) : 15u;
            metal::uint2 quad2_0_ = in2_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size5 - 0 - 8) / 8)];
            uint _e71 = step;
            uint base_1 = (start + ((_e71 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            metal::uint2 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e98 = inv1_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e105 = args.inner[4].y;
            uint valid1_1_ = ((_e105 & 1u) != 0u) ? (_e98 >> (first_1_ & 31u)) : 15u;
            metal::uint2 quad2_1_ = in2_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size5 - 0 - 8) / 8)];
            uint _e116 = step;
            uint base_2 = (start + ((_e116 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            metal::uint2 quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e143 = inv1_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e150 = args.inner[4].y;
            uint valid1_2_ = ((_e150 & 1u) != 0u) ? (_e143 >> (first_2_ & 31u)) : 15u;
            metal::uint2 quad2_2_ = in2_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size5 - 0 - 8) / 8)];
            uint _e161 = step;
            uint base_3 = (start + ((_e161 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            metal::uint2 quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size3 - 0 - 8) / 8)];
            uint _e188 = inv1_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size4 - 0 - 4) / 4)];
            uint _e195 = args.inner[4].y;
            uint valid1_3_ = ((_e195 & 1u) != 0u) ? (_e188 >> (first_3_ & 31u)) : 15u;
            metal::uint2 quad2_3_ = in2_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size5 - 0 - 8) / 8)];
            {
                uint _e206 = step;
                uint k = _e206 + 0u;
                t0_ = 0u;
                t1_ = metal::uint2 {};
                t2_ = metal::uint2 {};
                {
                    Row _e239 = row(base + 0u, as_type<int>(quad0_0_ << 24u) >> 24u, as_type<int>(quad1_0_.x << 16u) >> 16u, ((valid1_0_ >> 0u) & 1u) != 0u, (quad2_0_.x >> 0u) & 65535u);
                    bool live = (base + 0u) < rows;
                    uint _e243 = t0_;
                    t0_ = _e243 | ((live ? (as_type<uint>(_e239.o0_) & 255u) : 0u) << 0u);
                    uint _e255 = t1_.x;
                    t1_.x = _e255 | ((live ? (as_type<uint>(_e239.o1_) & 65535u) : 0u) << 0u);
                    uint _e265 = n1_;
                    n1_ = _e265 | (((live & _e239.q1_) ? 1u : 0u) << ((4u * k) + 0u));
                    uint _e279 = t2_.x;
                    t2_.x = _e279 | ((live ? (_e239.o2_ & 65535u) : 0u) << 0u);
                }
                {
                    Row _e312 = row(base + 1u, as_type<int>(quad0_0_ << 16u) >> 24u, as_type<int>(quad1_0_.x << 0u) >> 16u, ((valid1_0_ >> 1u) & 1u) != 0u, (quad2_0_.x >> 16u) & 65535u);
                    bool live_1 = (base + 1u) < rows;
                    uint _e316 = t0_;
                    t0_ = _e316 | ((live_1 ? (as_type<uint>(_e312.o0_) & 255u) : 0u) << 8u);
                    uint _e328 = t1_.x;
                    t1_.x = _e328 | ((live_1 ? (as_type<uint>(_e312.o1_) & 65535u) : 0u) << 16u);
                    uint _e338 = n1_;
                    n1_ = _e338 | (((live_1 & _e312.q1_) ? 1u : 0u) << ((4u * k) + 1u));
                    uint _e352 = t2_.x;
                    t2_.x = _e352 | ((live_1 ? (_e312.o2_ & 65535u) : 0u) << 16u);
                }
                {
                    Row _e385 = row(base + 2u, as_type<int>(quad0_0_ << 8u) >> 24u, as_type<int>(quad1_0_.y << 16u) >> 16u, ((valid1_0_ >> 2u) & 1u) != 0u, (quad2_0_.y >> 0u) & 65535u);
                    bool live_2 = (base + 2u) < rows;
                    uint _e389 = t0_;
                    t0_ = _e389 | ((live_2 ? (as_type<uint>(_e385.o0_) & 255u) : 0u) << 16u);
                    uint _e401 = t1_.y;
                    t1_.y = _e401 | ((live_2 ? (as_type<uint>(_e385.o1_) & 65535u) : 0u) << 0u);
                    uint _e411 = n1_;
                    n1_ = _e411 | (((live_2 & _e385.q1_) ? 1u : 0u) << ((4u * k) + 2u));
                    uint _e425 = t2_.y;
                    t2_.y = _e425 | ((live_2 ? (_e385.o2_ & 65535u) : 0u) << 0u);
                }
                {
                    Row _e458 = row(base + 3u, as_type<int>(quad0_0_ << 0u) >> 24u, as_type<int>(quad1_0_.y << 0u) >> 16u, ((valid1_0_ >> 3u) & 1u) != 0u, (quad2_0_.y >> 16u) & 65535u);
                    bool live_3 = (base + 3u) < rows;
                    uint _e462 = t0_;
                    t0_ = _e462 | ((live_3 ? (as_type<uint>(_e458.o0_) & 255u) : 0u) << 24u);
                    uint _e474 = t1_.y;
                    t1_.y = _e474 | ((live_3 ? (as_type<uint>(_e458.o1_) & 65535u) : 0u) << 16u);
                    uint _e484 = n1_;
                    n1_ = _e484 | (((live_3 & _e458.q1_) ? 1u : 0u) << ((4u * k) + 3u));
                    uint _e498 = t2_.y;
                    t2_.y = _e498 | ((live_3 ? (_e458.o2_ & 65535u) : 0u) << 16u);
                }
                if (base < rows) {
                    uint _e512 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size6 - 0 - 4) / 4)] = _e512;
                    metal::uint2 _e517 = t1_;
                    out1_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size7 - 0 - 8) / 8)] = _e517;
                    metal::uint2 _e522 = t2_;
                    out2_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size9 - 0 - 8) / 8)] = _e522;
                }
            }
            {
                uint _e523 = step;
                uint k_1 = _e523 + 1u;
                t0_1 = 0u;
                t1_1 = metal::uint2 {};
                t2_1 = metal::uint2 {};
                {
                    Row _e556 = row(base_1 + 0u, as_type<int>(quad0_1_ << 24u) >> 24u, as_type<int>(quad1_1_.x << 16u) >> 16u, ((valid1_1_ >> 0u) & 1u) != 0u, (quad2_1_.x >> 0u) & 65535u);
                    bool live_4 = (base_1 + 0u) < rows;
                    uint _e560 = t0_1;
                    t0_1 = _e560 | ((live_4 ? (as_type<uint>(_e556.o0_) & 255u) : 0u) << 0u);
                    uint _e572 = t1_1.x;
                    t1_1.x = _e572 | ((live_4 ? (as_type<uint>(_e556.o1_) & 65535u) : 0u) << 0u);
                    uint _e582 = n1_;
                    n1_ = _e582 | (((live_4 & _e556.q1_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    uint _e596 = t2_1.x;
                    t2_1.x = _e596 | ((live_4 ? (_e556.o2_ & 65535u) : 0u) << 0u);
                }
                {
                    Row _e629 = row(base_1 + 1u, as_type<int>(quad0_1_ << 16u) >> 24u, as_type<int>(quad1_1_.x << 0u) >> 16u, ((valid1_1_ >> 1u) & 1u) != 0u, (quad2_1_.x >> 16u) & 65535u);
                    bool live_5 = (base_1 + 1u) < rows;
                    uint _e633 = t0_1;
                    t0_1 = _e633 | ((live_5 ? (as_type<uint>(_e629.o0_) & 255u) : 0u) << 8u);
                    uint _e645 = t1_1.x;
                    t1_1.x = _e645 | ((live_5 ? (as_type<uint>(_e629.o1_) & 65535u) : 0u) << 16u);
                    uint _e655 = n1_;
                    n1_ = _e655 | (((live_5 & _e629.q1_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    uint _e669 = t2_1.x;
                    t2_1.x = _e669 | ((live_5 ? (_e629.o2_ & 65535u) : 0u) << 16u);
                }
                {
                    Row _e702 = row(base_1 + 2u, as_type<int>(quad0_1_ << 8u) >> 24u, as_type<int>(quad1_1_.y << 16u) >> 16u, ((valid1_1_ >> 2u) & 1u) != 0u, (quad2_1_.y >> 0u) & 65535u);
                    bool live_6 = (base_1 + 2u) < rows;
                    uint _e706 = t0_1;
                    t0_1 = _e706 | ((live_6 ? (as_type<uint>(_e702.o0_) & 255u) : 0u) << 16u);
                    uint _e718 = t1_1.y;
                    t1_1.y = _e718 | ((live_6 ? (as_type<uint>(_e702.o1_) & 65535u) : 0u) << 0u);
                    uint _e728 = n1_;
                    n1_ = _e728 | (((live_6 & _e702.q1_) ? 1u : 0u) << ((4u * k_1) + 2u));
                    uint _e742 = t2_1.y;
                    t2_1.y = _e742 | ((live_6 ? (_e702.o2_ & 65535u) : 0u) << 0u);
                }
                {
                    Row _e775 = row(base_1 + 3u, as_type<int>(quad0_1_ << 0u) >> 24u, as_type<int>(quad1_1_.y << 0u) >> 16u, ((valid1_1_ >> 3u) & 1u) != 0u, (quad2_1_.y >> 16u) & 65535u);
                    bool live_7 = (base_1 + 3u) < rows;
                    uint _e779 = t0_1;
                    t0_1 = _e779 | ((live_7 ? (as_type<uint>(_e775.o0_) & 255u) : 0u) << 24u);
                    uint _e791 = t1_1.y;
                    t1_1.y = _e791 | ((live_7 ? (as_type<uint>(_e775.o1_) & 65535u) : 0u) << 16u);
                    uint _e801 = n1_;
                    n1_ = _e801 | (((live_7 & _e775.q1_) ? 1u : 0u) << ((4u * k_1) + 3u));
                    uint _e815 = t2_1.y;
                    t2_1.y = _e815 | ((live_7 ? (_e775.o2_ & 65535u) : 0u) << 16u);
                }
                if (base_1 < rows) {
                    uint _e829 = t0_1;
                    out0_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size6 - 0 - 4) / 4)] = _e829;
                    metal::uint2 _e834 = t1_1;
                    out1_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size7 - 0 - 8) / 8)] = _e834;
                    metal::uint2 _e839 = t2_1;
                    out2_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size9 - 0 - 8) / 8)] = _e839;
                }
            }
            {
                uint _e840 = step;
                uint k_2 = _e840 + 2u;
                t0_2 = 0u;
                t1_2 = metal::uint2 {};
                t2_2 = metal::uint2 {};
                {
                    Row _e873 = row(base_2 + 0u, as_type<int>(quad0_2_ << 24u) >> 24u, as_type<int>(quad1_2_.x << 16u) >> 16u, ((valid1_2_ >> 0u) & 1u) != 0u, (quad2_2_.x >> 0u) & 65535u);
                    bool live_8 = (base_2 + 0u) < rows;
                    uint _e877 = t0_2;
                    t0_2 = _e877 | ((live_8 ? (as_type<uint>(_e873.o0_) & 255u) : 0u) << 0u);
                    uint _e889 = t1_2.x;
                    t1_2.x = _e889 | ((live_8 ? (as_type<uint>(_e873.o1_) & 65535u) : 0u) << 0u);
                    uint _e899 = n1_;
                    n1_ = _e899 | (((live_8 & _e873.q1_) ? 1u : 0u) << ((4u * k_2) + 0u));
                    uint _e913 = t2_2.x;
                    t2_2.x = _e913 | ((live_8 ? (_e873.o2_ & 65535u) : 0u) << 0u);
                }
                {
                    Row _e946 = row(base_2 + 1u, as_type<int>(quad0_2_ << 16u) >> 24u, as_type<int>(quad1_2_.x << 0u) >> 16u, ((valid1_2_ >> 1u) & 1u) != 0u, (quad2_2_.x >> 16u) & 65535u);
                    bool live_9 = (base_2 + 1u) < rows;
                    uint _e950 = t0_2;
                    t0_2 = _e950 | ((live_9 ? (as_type<uint>(_e946.o0_) & 255u) : 0u) << 8u);
                    uint _e962 = t1_2.x;
                    t1_2.x = _e962 | ((live_9 ? (as_type<uint>(_e946.o1_) & 65535u) : 0u) << 16u);
                    uint _e972 = n1_;
                    n1_ = _e972 | (((live_9 & _e946.q1_) ? 1u : 0u) << ((4u * k_2) + 1u));
                    uint _e986 = t2_2.x;
                    t2_2.x = _e986 | ((live_9 ? (_e946.o2_ & 65535u) : 0u) << 16u);
                }
                {
                    Row _e1019 = row(base_2 + 2u, as_type<int>(quad0_2_ << 8u) >> 24u, as_type<int>(quad1_2_.y << 16u) >> 16u, ((valid1_2_ >> 2u) & 1u) != 0u, (quad2_2_.y >> 0u) & 65535u);
                    bool live_10 = (base_2 + 2u) < rows;
                    uint _e1023 = t0_2;
                    t0_2 = _e1023 | ((live_10 ? (as_type<uint>(_e1019.o0_) & 255u) : 0u) << 16u);
                    uint _e1035 = t1_2.y;
                    t1_2.y = _e1035 | ((live_10 ? (as_type<uint>(_e1019.o1_) & 65535u) : 0u) << 0u);
                    uint _e1045 = n1_;
                    n1_ = _e1045 | (((live_10 & _e1019.q1_) ? 1u : 0u) << ((4u * k_2) + 2u));
                    uint _e1059 = t2_2.y;
                    t2_2.y = _e1059 | ((live_10 ? (_e1019.o2_ & 65535u) : 0u) << 0u);
                }
                {
                    Row _e1092 = row(base_2 + 3u, as_type<int>(quad0_2_ << 0u) >> 24u, as_type<int>(quad1_2_.y << 0u) >> 16u, ((valid1_2_ >> 3u) & 1u) != 0u, (quad2_2_.y >> 16u) & 65535u);
                    bool live_11 = (base_2 + 3u) < rows;
                    uint _e1096 = t0_2;
                    t0_2 = _e1096 | ((live_11 ? (as_type<uint>(_e1092.o0_) & 255u) : 0u) << 24u);
                    uint _e1108 = t1_2.y;
                    t1_2.y = _e1108 | ((live_11 ? (as_type<uint>(_e1092.o1_) & 65535u) : 0u) << 16u);
                    uint _e1118 = n1_;
                    n1_ = _e1118 | (((live_11 & _e1092.q1_) ? 1u : 0u) << ((4u * k_2) + 3u));
                    uint _e1132 = t2_2.y;
                    t2_2.y = _e1132 | ((live_11 ? (_e1092.o2_ & 65535u) : 0u) << 16u);
                }
                if (base_2 < rows) {
                    uint _e1146 = t0_2;
                    out0_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size6 - 0 - 4) / 4)] = _e1146;
                    metal::uint2 _e1151 = t1_2;
                    out1_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size7 - 0 - 8) / 8)] = _e1151;
                    metal::uint2 _e1156 = t2_2;
                    out2_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size9 - 0 - 8) / 8)] = _e1156;
                }
            }
            {
                uint _e1157 = step;
                uint k_3 = _e1157 + 3u;
                t0_3 = 0u;
                t1_3 = metal::uint2 {};
                t2_3 = metal::uint2 {};
                {
                    Row _e1190 = row(base_3 + 0u, as_type<int>(quad0_3_ << 24u) >> 24u, as_type<int>(quad1_3_.x << 16u) >> 16u, ((valid1_3_ >> 0u) & 1u) != 0u, (quad2_3_.x >> 0u) & 65535u);
                    bool live_12 = (base_3 + 0u) < rows;
                    uint _e1194 = t0_3;
                    t0_3 = _e1194 | ((live_12 ? (as_type<uint>(_e1190.o0_) & 255u) : 0u) << 0u);
// … 84 more lines with the checksum 018204da5528b90b
