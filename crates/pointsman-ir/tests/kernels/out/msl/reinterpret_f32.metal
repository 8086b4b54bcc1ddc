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
    uint o0_;
    bool q0_;
    char _pad4[3];
    uint o1_;
    bool q1_;
    char _pad6[3];
};
struct type_8 {
    uint inner[128];
};

bool is_nan_f32_(
    uint a
) {
    return (a & 2147483647u) > 2139095040u;
}

uint canonical_f32_(
    uint a_1
) {
    bool _e2 = is_nan_f32_(a_1);
    return _e2 ? 2143289344u : a_1;
}

Row row(
    uint r,
    uint c0_,
    bool d0_,
    uint c1_
) {
    bool bad = false;
    uint v0_ = {};
    bool n0_1 = {};
    uint v1_ = {};
    uint v2_ = {};
    bool n2_ = {};
    uint v3_ = {};
    v0_ = c0_;
    n0_1 = d0_;
    v1_ = c1_;
    uint _e9 = v0_;
    uint _e10 = canonical_f32_(_e9);
    v2_ = _e10;
    bool _e12 = n0_1;
    n2_ = _e12;
    uint _e14 = v1_;
    v3_ = _e14;
    bool _e17 = bad;
    uint _e19 = v2_;
    bool _e20 = n2_;
    bool _e22 = n2_;
    uint _e23 = v3_;
    uint _e24 = canonical_f32_(_e23);
    return Row {true, _e17, {}, _e20 ? _e19 : 0u, _e22, {}, _e24, true};
}

struct storeInput {
};
[[max_total_threads_per_threadgroup(128)]] kernel void store(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_5 const& in0_ [[user(fake0)]]
, device type_6 const& inv0_ [[user(fake0)]]
, device type_5 const& in1_ [[user(fake0)]]
, device type_5& out0_ [[user(fake0)]]
, device type_6& outv0_ [[user(fake0)]]
, device type_5& out1_ [[user(fake0)]]
, threadgroup type_8& shared_bits
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint n0_ = 0u;
    uint step = 0u;
    metal::uint4 t0_ = {};
    metal::uint4 t1_ = {};
    metal::uint4 t0_1 = {};
    metal::uint4 t1_1 = {};
    metal::uint4 t0_2 = {};
    metal::uint4 t1_2 = {};
    metal::uint4 t0_3 = {};
    metal::uint4 t1_3 = {};
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
            uint _e802 = step;
            step = _e802 + 4u;
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
            uint _e48 = inv0_[metal::min(unsigned(first_0_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e55 = args.inner[4].x;
            uint valid0_0_ = ((_e55 & 1u) != 0u) ? (_e48 >> (first_0_ & 31u)) : 15u;
            metal::uint4 quad1_0_ = in1_[metal::min(unsigned(first_0_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e66 = step;
            uint base_1 = (start + ((_e66 + 1u) * 512u)) + (lane * 4u);
            uint first_1_ = metal::min(base_1, last & 4294967292u);
            metal::uint4 quad0_1_ = in0_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e88 = inv0_[metal::min(unsigned(first_1_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e95 = args.inner[4].x;
            uint valid0_1_ = ((_e95 & 1u) != 0u) ? (_e88 >> (first_1_ & 31u)) : 15u;
            metal::uint4 quad1_1_ = in1_[metal::min(unsigned(first_1_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e106 = step;
            uint base_2 = (start + ((_e106 + 2u) * 512u)) + (lane * 4u);
            uint first_2_ = metal::min(base_2, last & 4294967292u);
            metal::uint4 quad0_2_ = in0_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e128 = inv0_[metal::min(unsigned(first_2_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e135 = args.inner[4].x;
            uint valid0_2_ = ((_e135 & 1u) != 0u) ? (_e128 >> (first_2_ & 31u)) : 15u;
            metal::uint4 quad1_2_ = in1_[metal::min(unsigned(first_2_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            uint _e146 = step;
            uint base_3 = (start + ((_e146 + 3u) * 512u)) + (lane * 4u);
            uint first_3_ = metal::min(base_3, last & 4294967292u);
            metal::uint4 quad0_3_ = in0_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size2 - 0 - 16) / 16)];
            uint _e168 = inv0_[metal::min(unsigned(first_3_ >> 5u), (_buffer_sizes.size3 - 0 - 4) / 4)];
            uint _e175 = args.inner[4].x;
            uint valid0_3_ = ((_e175 & 1u) != 0u) ? (_e168 >> (first_3_ & 31u)) : 15u;
            metal::uint4 quad1_3_ = in1_[metal::min(unsigned(first_3_ >> 2u), (_buffer_sizes.size4 - 0 - 16) / 16)];
            {
                uint _e186 = step;
                uint k = _e186 + 0u;
                t0_ = metal::uint4 {};
                t1_ = metal::uint4 {};
                {
                    Row _e203 = row(base + 0u, quad0_0_.x, ((valid0_0_ >> 0u) & 1u) != 0u, quad1_0_.x);
                    bool live = (base + 0u) < rows;
                    t0_.x = live ? _e203.o0_ : 0u;
                    uint _e211 = n0_;
                    n0_ = _e211 | (((live & _e203.q0_) ? 1u : 0u) << ((4u * k) + 0u));
                    t1_.x = live ? _e203.o1_ : 0u;
                }
                {
                    Row _e237 = row(base + 1u, quad0_0_.y, ((valid0_0_ >> 1u) & 1u) != 0u, quad1_0_.y);
                    bool live_1 = (base + 1u) < rows;
                    t0_.y = live_1 ? _e237.o0_ : 0u;
                    uint _e245 = n0_;
                    n0_ = _e245 | (((live_1 & _e237.q0_) ? 1u : 0u) << ((4u * k) + 1u));
                    t1_.y = live_1 ? _e237.o1_ : 0u;
                }
                {
                    Row _e271 = row(base + 2u, quad0_0_.z, ((valid0_0_ >> 2u) & 1u) != 0u, quad1_0_.z);
                    bool live_2 = (base + 2u) < rows;
                    t0_.z = live_2 ? _e271.o0_ : 0u;
                    uint _e279 = n0_;
                    n0_ = _e279 | (((live_2 & _e271.q0_) ? 1u : 0u) << ((4u * k) + 2u));
                    t1_.z = live_2 ? _e271.o1_ : 0u;
                }
                {
                    Row _e305 = row(base + 3u, quad0_0_.w, ((valid0_0_ >> 3u) & 1u) != 0u, quad1_0_.w);
                    bool live_3 = (base + 3u) < rows;
                    t0_.w = live_3 ? _e305.o0_ : 0u;
                    uint _e313 = n0_;
                    n0_ = _e313 | (((live_3 & _e305.q0_) ? 1u : 0u) << ((4u * k) + 3u));
                    t1_.w = live_3 ? _e305.o1_ : 0u;
                }
                if (base < rows) {
                    metal::uint4 _e334 = t0_;
                    out0_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e334;
                    metal::uint4 _e339 = t1_;
                    out1_[metal::min(unsigned(base >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e339;
                }
            }
            {
                uint _e340 = step;
                uint k_1 = _e340 + 1u;
                t0_1 = metal::uint4 {};
                t1_1 = metal::uint4 {};
                {
                    Row _e357 = row(base_1 + 0u, quad0_1_.x, ((valid0_1_ >> 0u) & 1u) != 0u, quad1_1_.x);
                    bool live_4 = (base_1 + 0u) < rows;
                    t0_1.x = live_4 ? _e357.o0_ : 0u;
                    uint _e365 = n0_;
                    n0_ = _e365 | (((live_4 & _e357.q0_) ? 1u : 0u) << ((4u * k_1) + 0u));
                    t1_1.x = live_4 ? _e357.o1_ : 0u;
                }
                {
                    Row _e391 = row(base_1 + 1u, quad0_1_.y, ((valid0_1_ >> 1u) & 1u) != 0u, quad1_1_.y);
                    bool live_5 = (base_1 + 1u) < rows;
                    t0_1.y = live_5 ? _e391.o0_ : 0u;
                    uint _e399 = n0_;
                    n0_ = _e399 | (((live_5 & _e391.q0_) ? 1u : 0u) << ((4u * k_1) + 1u));
                    t1_1.y = live_5 ? _e391.o1_ : 0u;
                }
                {
                    Row _e425 = row(base_1 + 2u, quad0_1_.z, ((valid0_1_ >> 2u) & 1u) != 0u, quad1_1_.z);
                    bool live_6 = (base_1 + 2u) < rows;
                    t0_1.z = live_6 ? _e425.o0_ : 0u;
                    uint _e433 = n0_;
                    n0_ = _e433 | (((live_6 & _e425.q0_) ? 1u : 0u) << ((4u * k_1) + 2u));
                    t1_1.z = live_6 ? _e425.o1_ : 0u;
                }
                {
                    Row _e459 = row(base_1 + 3u, quad0_1_.w, ((valid0_1_ >> 3u) & 1u) != 0u, quad1_1_.w);
                    bool live_7 = (base_1 + 3u) < rows;
                    t0_1.w = live_7 ? _e459.o0_ : 0u;
                    uint _e467 = n0_;
                    n0_ = _e467 | (((live_7 & _e459.q0_) ? 1u : 0u) << ((4u * k_1) + 3u));
                    t1_1.w = live_7 ? _e459.o1_ : 0u;
                }
                if (base_1 < rows) {
                    metal::uint4 _e488 = t0_1;
                    out0_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e488;
                    metal::uint4 _e493 = t1_1;
                    out1_[metal::min(unsigned(base_1 >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e493;
                }
            }
            {
                uint _e494 = step;
                uint k_2 = _e494 + 2u;
                t0_2 = metal::uint4 {};
                t1_2 = metal::uint4 {};
                {
                    Row _e511 = row(base_2 + 0u, quad0_2_.x, ((valid0_2_ >> 0u) & 1u) != 0u, quad1_2_.x);
                    bool live_8 = (base_2 + 0u) < rows;
                    t0_2.x = live_8 ? _e511.o0_ : 0u;
                    uint _e519 = n0_;
                    n0_ = _e519 | (((live_8 & _e511.q0_) ? 1u : 0u) << ((4u * k_2) + 0u));
                    t1_2.x = live_8 ? _e511.o1_ : 0u;
                }
                {
                    Row _e545 = row(base_2 + 1u, quad0_2_.y, ((valid0_2_ >> 1u) & 1u) != 0u, quad1_2_.y);
                    bool live_9 = (base_2 + 1u) < rows;
                    t0_2.y = live_9 ? _e545.o0_ : 0u;
                    uint _e553 = n0_;
                    n0_ = _e553 | (((live_9 & _e545.q0_) ? 1u : 0u) << ((4u * k_2) + 1u));
                    t1_2.y = live_9 ? _e545.o1_ : 0u;
                }
                {
                    Row _e579 = row(base_2 + 2u, quad0_2_.z, ((valid0_2_ >> 2u) & 1u) != 0u, quad1_2_.z);
                    bool live_10 = (base_2 + 2u) < rows;
                    t0_2.z = live_10 ? _e579.o0_ : 0u;
                    uint _e587 = n0_;
                    n0_ = _e587 | (((live_10 & _e579.q0_) ? 1u : 0u) << ((4u * k_2) + 2u));
                    t1_2.z = live_10 ? _e579.o1_ : 0u;
                }
                {
                    Row _e613 = row(base_2 + 3u, quad0_2_.w, ((valid0_2_ >> 3u) & 1u) != 0u, quad1_2_.w);
                    bool live_11 = (base_2 + 3u) < rows;
                    t0_2.w = live_11 ? _e613.o0_ : 0u;
                    uint _e621 = n0_;
                    n0_ = _e621 | (((live_11 & _e613.q0_) ? 1u : 0u) << ((4u * k_2) + 3u));
                    t1_2.w = live_11 ? _e613.o1_ : 0u;
                }
                if (base_2 < rows) {
                    metal::uint4 _e642 = t0_2;
                    out0_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e642;
                    metal::uint4 _e647 = t1_2;
                    out1_[metal::min(unsigned(base_2 >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e647;
                }
            }
            {
                uint _e648 = step;
                uint k_3 = _e648 + 3u;
                t0_3 = metal::uint4 {};
                t1_3 = metal::uint4 {};
                {
                    Row _e665 = row(base_3 + 0u, quad0_3_.x, ((valid0_3_ >> 0u) & 1u) != 0u, quad1_3_.x);
                    bool live_12 = (base_3 + 0u) < rows;
                    t0_3.x = live_12 ? _e665.o0_ : 0u;
                    uint _e673 = n0_;
                    n0_ = _e673 | (((live_12 & _e665.q0_) ? 1u : 0u) << ((4u * k_3) + 0u));
                    t1_3.x = live_12 ? _e665.o1_ : 0u;
                }
                {
                    Row _e699 = row(base_3 + 1u, quad0_3_.y, ((valid0_3_ >> 1u) & 1u) != 0u, quad1_3_.y);
                    bool live_13 = (base_3 + 1u) < rows;
                    t0_3.y = live_13 ? _e699.o0_ : 0u;
                    uint _e707 = n0_;
                    n0_ = _e707 | (((live_13 & _e699.q0_) ? 1u : 0u) << ((4u * k_3) + 1u));
                    t1_3.y = live_13 ? _e699.o1_ : 0u;
                }
                {
                    Row _e733 = row(base_3 + 2u, quad0_3_.z, ((valid0_3_ >> 2u) & 1u) != 0u, quad1_3_.z);
                    bool live_14 = (base_3 + 2u) < rows;
                    t0_3.z = live_14 ? _e733.o0_ : 0u;
                    uint _e741 = n0_;
                    n0_ = _e741 | (((live_14 & _e733.q0_) ? 1u : 0u) << ((4u * k_3) + 2u));
                    t1_3.z = live_14 ? _e733.o1_ : 0u;
                }
                {
                    Row _e767 = row(base_3 + 3u, quad0_3_.w, ((valid0_3_ >> 3u) & 1u) != 0u, quad1_3_.w);
                    bool live_15 = (base_3 + 3u) < rows;
                    t0_3.w = live_15 ? _e767.o0_ : 0u;
                    uint _e775 = n0_;
                    n0_ = _e775 | (((live_15 & _e767.q0_) ? 1u : 0u) << ((4u * k_3) + 3u));
                    t1_3.w = live_15 ? _e767.o1_ : 0u;
                }
                if (base_3 < rows) {
                    metal::uint4 _e796 = t0_3;
                    out0_[metal::min(unsigned(base_3 >> 2u), (_buffer_sizes.size5 - 0 - 16) / 16)] = _e796;
                    metal::uint4 _e801 = t1_3;
                    out1_[metal::min(unsigned(base_3 >> 2u), (_buffer_sizes.size7 - 0 - 16) / 16)] = _e801;
                }
            }
        }
    }
    uint _e807 = n0_;
    shared_bits.inner[metal::min(unsigned(lane), 127u)] = _e807;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if ((start + (lane * 32u)) < rows) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e842 = b;
                b = _e842 + 1u;
            }
            loop_init_1 = false;
            uint _e816 = b;
            if (_e816 < 8u) {
            } else {
                break;
            }
            {
                uint _e819 = bits;
                uint _e825 = b;
                uint _e828 = shared_bits.inner[metal::min(unsigned(((lane & 15u) * 8u) + _e825), 127u)];
                uint _e837 = b;
                bits = _e819 | (((_e828 >> (4u * (lane >> 4u))) & 15u) << (4u * _e837));
            }
        }
        uint _e849 = bits;
        outv0_[metal::min(unsigned((start >> 5u) + lane), (_buffer_sizes.size6 - 0 - 4) / 4)] = _e849;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return;
}
