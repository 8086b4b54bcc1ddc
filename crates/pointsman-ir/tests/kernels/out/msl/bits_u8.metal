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
    uint o0_;
    bool q0_;
    char _pad4[3];
};
struct type_7 {
    uint inner[128];
};

Row row(
    uint r,
    uint c0_,
    uint c1_
) {
    bool bad = false;
    uint v0_ = {};
    uint v1_ = {};
    uint v2_ = {};
    uint v3_ = {};
    uint v4_ = {};
    uint v5_ = {};
    uint v6_ = {};
    uint v7_ = {};
    uint v8_ = {};
    uint v9_ = {};
    uint v10_ = {};
    v0_ = c0_;
    v1_ = c1_;
    uint _e7 = v0_;
    uint _e8 = v1_;
    v2_ = _e7 & _e8;
    uint _e11 = v0_;
    uint _e12 = v1_;
    v3_ = _e11 | _e12;
    uint _e15 = v0_;
    v4_ = ~(_e15) & 255u;
    uint _e20 = v0_;
    uint _e21 = v1_;
    v5_ = (_e20 << (_e21 & 7u)) & 255u;
    uint _e28 = v0_;
    uint _e29 = v1_;
    v6_ = _e28 >> (_e29 & 7u);
    uint _e34 = v2_;
    uint _e35 = v3_;
    v7_ = _e34 ^ _e35;
    uint _e38 = v7_;
    uint _e39 = v4_;
    v8_ = _e38 ^ _e39;
    uint _e42 = v8_;
    uint _e43 = v5_;
    v9_ = _e42 ^ _e43;
    uint _e46 = v9_;
    uint _e47 = v6_;
    v10_ = _e46 ^ _e47;
    bool _e51 = bad;
    uint _e52 = v10_;
    return Row {true, _e51, {}, _e52, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint step = 0u;
    uint t0_ = {};
    uint t0_1 = {};
    uint t0_2 = {};
    uint t0_3 = {};
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
            uint _e524 = step;
            step = _e524 + 4u;
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
            uint quad0_0_ = in0_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e46 = step;
            uint base_1 = (start + ((_e46 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            uint quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e68 = step;
            uint base_2 = (start + ((_e68 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            uint quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e90 = step;
            uint base_3 = (start + ((_e90 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            uint quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 4) / 4)];
            uint quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            {
                uint _e112 = step;
                uint k = _e112 + 0u;
                t0_ = 0u;
                {
                    Row _e127 = row(base + 0u, (quad0_0_ >> 0u) & 255u, (quad1_0_ >> 0u) & 255u);
                    bool live = (base + 0u) < rows;
                    uint _e131 = t0_;
                    t0_ = _e131 | ((live ? (_e127.o0_ & 255u) : 0u) << 0u);
                }
                {
                    Row _e150 = row(base + 1u, (quad0_0_ >> 8u) & 255u, (quad1_0_ >> 8u) & 255u);
                    bool live_1 = (base + 1u) < rows;
                    uint _e154 = t0_;
                    t0_ = _e154 | ((live_1 ? (_e150.o0_ & 255u) : 0u) << 8u);
                }
                {
                    Row _e173 = row(base + 2u, (quad0_0_ >> 16u) & 255u, (quad1_0_ >> 16u) & 255u);
                    bool live_2 = (base + 2u) < rows;
                    uint _e177 = t0_;
                    t0_ = _e177 | ((live_2 ? (_e173.o0_ & 255u) : 0u) << 16u);
                }
                {
                    Row _e196 = row(base + 3u, (quad0_0_ >> 24u) & 255u, (quad1_0_ >> 24u) & 255u);
                    bool live_3 = (base + 3u) < rows;
                    uint _e200 = t0_;
                    t0_ = _e200 | ((live_3 ? (_e196.o0_ & 255u) : 0u) << 24u);
                }
                if (base < rows) {
                    uint _e214 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size4 - 0 - 4) / 4)] = _e214;
                }
            }
            {
                uint _e215 = step;
                uint k_1 = _e215 + 1u;
                t0_1 = 0u;
                {
                    Row _e230 = row(base_1 + 0u, (quad0_1_ >> 0u) & 255u, (quad1_1_ >> 0u) & 255u);
                    bool live_4 = (base_1 + 0u) < rows;
                    uint _e234 = t0_1;
                    t0_1 = _e234 | ((live_4 ? (_e230.o0_ & 255u) : 0u) << 0u);
                }
                {
                    Row _e253 = row(base_1 + 1u, (quad0_1_ >> 8u) & 255u, (quad1_1_ >> 8u) & 255u);
                    bool live_5 = (base_1 + 1u) < rows;
                    uint _e257 = t0_1;
                    t0_1 = _e257 | ((live_5 ? (_e253.o0_ & 255u) : 0u) << 8u);
                }
                {
                    Row _e276 = row(base_1 + 2u, (quad0_1_ >> 16u) & 255u, (quad1_1_ >> 16u) & 255u);
                    bool live_6 = (base_1 + 2u) < rows;
                    uint _e280 = t0_1;
                    t0_1 = _e280 | ((live_6 ? (_e276.o0_ & 255u) : 0u) << 16u);
                }
                {
                    Row _e299 = row(base_1 + 3u, (quad0_1_ >> 24u) & 255u, (quad1_1_ >> 24u) & 255u);
                    bool live_7 = (base_1 + 3u) < rows;
                    uint _e303 = t0_1;
                    t0_1 = _e303 | ((live_7 ? (_e299.o0_ & 255u) : 0u) << 24u);
                }
                if (base_1 < rows) {
                    uint _e317 = t0_1;
                    out0_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size4 - 0 - 4) / 4)] = _e317;
                }
            }
            {
                uint _e318 = step;
                uint k_2 = _e318 + 2u;
                t0_2 = 0u;
                {
                    Row _e333 = row(base_2 + 0u, (quad0_2_ >> 0u) & 255u, (quad1_2_ >> 0u) & 255u);
                    bool live_8 = (base_2 + 0u) < rows;
                    uint _e337 = t0_2;
                    t0_2 = _e337 | ((live_8 ? (_e333.o0_ & 255u) : 0u) << 0u);
                }
                {
                    Row _e356 = row(base_2 + 1u, (quad0_2_ >> 8u) & 255u, (quad1_2_ >> 8u) & 255u);
                    bool live_9 = (base_2 + 1u) < rows;
                    uint _e360 = t0_2;
                    t0_2 = _e360 | ((live_9 ? (_e356.o0_ & 255u) : 0u) << 8u);
                }
                {
                    Row _e379 = row(base_2 + 2u, (quad0_2_ >> 16u) & 255u, (quad1_2_ >> 16u) & 255u);
                    bool live_10 = (base_2 + 2u) < rows;
                    uint _e383 = t0_2;
                    t0_2 = _e383 | ((live_10 ? (_e379.o0_ & 255u) : 0u) << 16u);
                }
                {
                    Row _e402 = row(base_2 + 3u, (quad0_2_ >> 24u) & 255u, (quad1_2_ >> 24u) & 255u);
                    bool live_11 = (base_2 + 3u) < rows;
                    uint _e406 = t0_2;
                    t0_2 = _e406 | ((live_11 ? (_e402.o0_ & 255u) : 0u) << 24u);
                }
                if (base_2 < rows) {
                    uint _e420 = t0_2;
                    out0_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size4 - 0 - 4) / 4)] = _e420;
                }
            }
            {
                uint _e421 = step;
                uint k_3 = _e421 + 3u;
                t0_3 = 0u;
                {
                    Row _e436 = row(base_3 + 0u, (quad0_3_ >> 0u) & 255u, (quad1_3_ >> 0u) & 255u);
                    bool live_12 = (base_3 + 0u) < rows;
                    uint _e440 = t0_3;
                    t0_3 = _e440 | ((live_12 ? (_e436.o0_ & 255u) : 0u) << 0u);
                }
                {
                    Row _e459 = row(base_3 + 1u, (quad0_3_ >> 8u) & 255u, (quad1_3_ >> 8u) & 255u);
                    bool live_13 = (base_3 + 1u) < rows;
                    uint _e463 = t0_3;
                    t0_3 = _e463 | ((live_13 ? (_e459.o0_ & 255u) : 0u) << 8u);
                }
                {
                    Row _e482 = row(base_3 + 2u, (quad0_3_ >> 16u) & 255u, (quad1_3_ >> 16u) & 255u);
                    bool live_14 = (base_3 + 2u) < rows;
                    uint _e486 = t0_3;
                    t0_3 = _e486 | ((live_14 ? (_e482.o0_ & 255u) : 0u) << 16u);
                }
                {
                    Row _e505 = row(base_3 + 3u, (quad0_3_ >> 24u) & 255u, (quad1_3_ >> 24u) & 255u);
                    bool live_15 = (base_3 + 3u) < rows;
                    uint _e509 = t0_3;
                    t0_3 = _e509 | ((live_15 ? (_e505.o0_ & 255u) : 0u) << 24u);
                }
                if (base_3 < rows) {
                    uint _e523 = t0_3;
                    out0_[metal::min(unsigned(base_3 >> 2u), (_buffer_sizes.size4 - 0 - 4) / 4)] = _e523;
                }
            }
        }
    }
    return;
}
