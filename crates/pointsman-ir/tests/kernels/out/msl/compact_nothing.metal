// language: metal2.4
#include <metal_stdlib>
#include <simd/simd.h>

using metal::uint;

struct _mslBufferSizes {
    uint size1;
    uint size2;
};

struct type_2 {
    metal::uint4 inner[4];
};
typedef metal::atomic_uint type_4[1];
struct Row {
    bool selected;
    bool bad;
};
struct type_6 {
    uint inner[136];
};
struct type_7 {
    uint inner[8];
};
struct type_8 {
    uint inner[1024];
};

Row row(
    uint r
) {
    bool bad = false;
    bool _e4 = bad;
    return Row {true, _e4};
}

uint joined_words(
    uint near,
    uint far
) {
    return ((near >> 30u) == 1u) ? (far + (near & 1073741823u)) : near;
}

uint count_tile(
    uint tile,
    uint lane_1,
    constant type_2& args,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum
) {
    uint count_1 = 0u;
    uint q = 0u;
    uint rows = args.inner[0].x;
    uint last = rows - 1u;
    if (lane_1 == 0u) {
        metal::atomic_store_explicit(&shared_sum, 0u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e76 = q;
            q = _e76 + 1u;
        }
        loop_init = false;
        uint _e16 = q;
        if (_e16 < 8u) {
        } else {
            break;
        }
        {
            uint _e21 = q;
            uint base = (tile * 8192u) + (((_e21 * 256u) + lane_1) * 4u);
            uint first_2 = metal::min(base, last & 4294967292u);
            {
                Row _e33 = row(base + 0u);
                uint _e34 = count_1;
                count_1 = _e34 + static_cast<uint>(((base + 0u) < rows) & _e33.selected);
            }
            {
                Row _e44 = row(base + 1u);
                uint _e45 = count_1;
                count_1 = _e45 + static_cast<uint>(((base + 1u) < rows) & _e44.selected);
            }
            {
                Row _e55 = row(base + 2u);
                uint _e56 = count_1;
                count_1 = _e56 + static_cast<uint>(((base + 2u) < rows) & _e55.selected);
            }
            {
                Row _e66 = row(base + 3u);
                uint _e67 = count_1;
                count_1 = _e67 + static_cast<uint>(((base + 3u) < rows) & _e66.selected);
            }
        }
    }
    uint _e79 = count_1;
    uint _e80 = metal::atomic_fetch_add_explicit(&shared_sum, _e79, metal::memory_order_relaxed);
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_1 == 0u) {
        uint _e85 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e85;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return unnamed;
}

uint nearest_missing(
    uint state,
    uint lane_2,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum
) {
    if (lane_2 == 0u) {
        metal::atomic_store_explicit(&shared_sum, 128u, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (state == 0u) {
        uint _e9 = metal::atomic_fetch_min_explicit(&shared_sum, lane_2, metal::memory_order_relaxed);
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (lane_2 == 0u) {
        uint _e14 = metal::atomic_load_explicit(&shared_sum, metal::memory_order_relaxed);
        shared_view = _e14;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed_1 = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    return unnamed_1;
}

void ask_for(
    uint number,
    uint first,
    uint lane_3,
    constant type_2& args,
    device type_4& nodes,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint state_1 = 0u;
    uint i = 0u;
    bool local = {};
    if (lane_3 == 0u) {
        bool loop_init_1 = true;
        while(true) {
            if (!loop_init_1) {
                uint _e23 = i;
                i = _e23 + 1u;
            }
            loop_init_1 = false;
            uint _e9 = i;
            if (_e9 < 64u) {
                uint _e14 = state_1;
                local = _e14 == 0u;
            } else {
                local = false;
            }
            bool _e18 = local;
            if (_e18) {
            } else {
                break;
            }
            {
                uint _e21 = metal::atomic_load_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size2 - 0 - 4) / 4)], metal::memory_order_relaxed);
                state_1 = _e21;
            }
        }
        uint _e26 = state_1;
        shared_view = _e26;
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    uint unnamed_2 = shared_view;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (unnamed_2 == 0u) {
        uint _e32 = count_tile(number - first, lane_3, args, shared_view, shared_sum);
        if (lane_3 == 0u) {
            uint _e39 = metal::atomic_fetch_max_explicit(&nodes[metal::min(unsigned(number), (_buffer_sizes.size2 - 0 - 4) / 4)], 1073741824u | _e32, metal::memory_order_relaxed);
            return;
        } else {
            return;
        }
    } else {
        return;
    }
}

uint rows_before(
    uint first_1,
    uint number_1,
    uint lane_4,
    constant type_2& args,
    device type_4& nodes,
    threadgroup type_6& shared_look,
    threadgroup type_7& shared_parts,
    threadgroup uint& shared_view,
    threadgroup metal::atomic_uint& shared_sum,
    constant _mslBufferSizes& _buffer_sizes
) {
    uint sum = 0u;
    uint at = {};
    uint i_1 = 0u;
    bool local_1 = {};
    uint state_2 = {};
    uint part = {};
    uint k = {};
    uint all = {};
    uint k_1 = {};
    at = number_1;
    bool loop_init_2 = true;
    while(true) {
        if (!loop_init_2) {
            uint _e107 = i_1;
            i_1 = _e107 + 1u;
        }
        loop_init_2 = false;
        uint _e8 = i_1;
        if (_e8 < 2147483647u) {
            local_1 = number_1 > 0u;
        } else {
            local_1 = false;
        }
        bool _e16 = local_1;
        if (_e16) {
        } else {
            break;
        }
        {
            state_2 = 2147483648u;
            uint _e19 = at;
            if (lane_4 < metal::min(_e19, 128u)) {
                uint _e24 = at;
                uint _e29 = metal::atomic_load_explicit(&nodes[metal::min(unsigned((_e24 - 1u) - lane_4), (_buffer_sizes.size2 - 0 - 4) / 4)], metal::memory_order_relaxed);
                state_2 = _e29;
            }
            if (lane_4 < 128u) {
                uint _e37 = state_2;
                shared_look.inner[metal::min(unsigned(lane_4 + (lane_4 / 16u)), 135u)] = _e37;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane_4 < 8u) {
                part = 1073741824u;
                k = 0u;
                bool loop_init_3 = true;
                while(true) {
                    if (!loop_init_3) {
                        uint _e57 = k;
                        k = _e57 + 1u;
                    }
                    loop_init_3 = false;
                    uint _e44 = k;
                    if (_e44 < 16u) {
                    } else {
                        break;
                    }
                    {
                        uint _e47 = part;
                        uint _e51 = k;
                        uint _e54 = shared_look.inner[metal::min(unsigned((lane_4 * 17u) + _e51), 135u)];
                        uint _e55 = joined_words(_e47, _e54);
                        part = _e55;
                    }
                }
                uint _e61 = part;
                shared_parts.inner[metal::min(unsigned(lane_4), 7u)] = _e61;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            if (lane_4 == 0u) {
                all = 1073741824u;
                k_1 = 0u;
                bool loop_init_4 = true;
                while(true) {
                    if (!loop_init_4) {
                        uint _e78 = k_1;
                        k_1 = _e78 + 1u;
                    }
                    loop_init_4 = false;
                    uint _e68 = k_1;
                    if (_e68 < 8u) {
                    } else {
                        break;
                    }
                    {
                        uint _e71 = all;
                        uint _e73 = k_1;
                        uint _e75 = shared_parts.inner[metal::min(unsigned(_e73), 7u)];
                        uint _e76 = joined_words(_e71, _e75);
                        all = _e76;
                    }
                }
                uint _e81 = all;
                shared_view = _e81;
            }
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint unnamed_3 = shared_view;
            metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
            uint _e84 = sum;
            sum = _e84 + (unnamed_3 & 1073741823u);
            if ((unnamed_3 >> 30u) == 2u) {
                break;
            }
            if ((unnamed_3 >> 30u) == 1u) {
                uint _e96 = at;
                at = _e96 - 128u;
            } else {
                uint _e99 = at;
                uint _e100 = state_2;
                uint _e101 = nearest_missing(_e100, lane_4, shared_view, shared_sum);
                at = _e99 - _e101;
                uint _e103 = at;
                ask_for(_e103 - 1u, first_1, lane_4, args, nodes, shared_view, shared_sum, _buffer_sizes);
            }
        }
    }
    uint _e109 = sum;
    return _e109;
}

struct compactInput {
};
[[max_total_threads_per_threadgroup(256)]] kernel void compact(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint lane [[thread_index_in_threadgroup]]
, constant type_2& args [[user(fake0)]]
, device type_4& nodes [[user(fake0)]]
, threadgroup type_6& shared_look
, threadgroup type_7& shared_parts
, threadgroup uint& shared_view
, threadgroup metal::atomic_uint& shared_sum
, threadgroup type_8& shared_counts
, threadgroup type_7& shared_groups
, constant _mslBufferSizes& _buffer_sizes [[user(fake0)]]
) {
    uint mask = 0u;
    uint there = 0u;
    uint c0_ = {};
    uint c1_ = {};
    uint half_ = 0u;
    uint h = 1u;
    uint ahead = 0u;
    uint count = 0u;
    uint g = 0u;
    uint rows_1 = args.inner[0].x;
    uint _e11 = args.inner[0].w;
    uint tile_1 = group.x + (group.y * _e11);
    uint start = tile_1 * 8192u;
    if (start >= rows_1) {
        return;
    }
    uint last_1 = rows_1 - 1u;
    uint own = (start + ((lane >> 5u) * 1024u)) + ((lane & 31u) * 4u);
    uint base_0_ = own + 0u;
    uint first_0_ = metal::min(base_0_, last_1 & 4294967292u);
    uint base_1_ = own + 128u;
    uint first_1_ = metal::min(base_1_, last_1 & 4294967292u);
    uint base_2_ = own + 256u;
    uint first_2_ = metal::min(base_2_, last_1 & 4294967292u);
    uint base_3_ = own + 384u;
    uint first_3_ = metal::min(base_3_, last_1 & 4294967292u);
    uint base_4_ = own + 512u;
    uint first_4_ = metal::min(base_4_, last_1 & 4294967292u);
    uint base_5_ = own + 640u;
    uint first_5_ = metal::min(base_5_, last_1 & 4294967292u);
    uint base_6_ = own + 768u;
    uint first_6_ = metal::min(base_6_, last_1 & 4294967292u);
    uint base_7_ = own + 896u;
    uint first_7_ = metal::min(base_7_, last_1 & 4294967292u);
    Row _e73 = row(base_0_ + 0u);
    uint _e74 = mask;
    mask = _e74 | (static_cast<uint>(_e73.selected) << 0u);
    Row _e82 = row(base_0_ + 1u);
    uint _e83 = mask;
    mask = _e83 | (static_cast<uint>(_e82.selected) << 1u);
    Row _e91 = row(base_0_ + 2u);
    uint _e92 = mask;
    mask = _e92 | (static_cast<uint>(_e91.selected) << 2u);
    Row _e100 = row(base_0_ + 3u);
    uint _e101 = mask;
    mask = _e101 | (static_cast<uint>(_e100.selected) << 3u);
    Row _e109 = row(base_1_ + 0u);
    uint _e110 = mask;
    mask = _e110 | (static_cast<uint>(_e109.selected) << 4u);
    Row _e118 = row(base_1_ + 1u);
    uint _e119 = mask;
    mask = _e119 | (static_cast<uint>(_e118.selected) << 5u);
    Row _e127 = row(base_1_ + 2u);
    uint _e128 = mask;
    mask = _e128 | (static_cast<uint>(_e127.selected) << 6u);
    Row _e136 = row(base_1_ + 3u);
    uint _e137 = mask;
    mask = _e137 | (static_cast<uint>(_e136.selected) << 7u);
    Row _e145 = row(base_2_ + 0u);
    uint _e146 = mask;
    mask = _e146 | (static_cast<uint>(_e145.selected) << 8u);
    Row _e154 = row(base_2_ + 1u);
    uint _e155 = mask;
    mask = _e155 | (static_cast<uint>(_e154.selected) << 9u);
    Row _e163 = row(base_2_ + 2u);
    uint _e164 = mask;
    mask = _e164 | (static_cast<uint>(_e163.selected) << 10u);
    Row _e172 = row(base_2_ + 3u);
    uint _e173 = mask;
    mask = _e173 | (static_cast<uint>(_e172.selected) << 11u);
    Row _e181 = row(base_3_ + 0u);
    uint _e182 = mask;
    mask = _e182 | (static_cast<uint>(_e181.selected) << 12u);
    Row _e190 = row(base_3_ + 1u);
    uint _e191 = mask;
    mask = _e191 | (static_cast<uint>(_e190.selected) << 13u);
    Row _e199 = row(base_3_ + 2u);
    uint _e200 = mask;
    mask = _e200 | (static_cast<uint>(_e199.selected) << 14u);
    Row _e208 = row(base_3_ + 3u);
    uint _e209 = mask;
    mask = _e209 | (static_cast<uint>(_e208.selected) << 15u);
    Row _e217 = row(base_4_ + 0u);
    uint _e218 = mask;
    mask = _e218 | (static_cast<uint>(_e217.selected) << 16u);
    Row _e226 = row(base_4_ + 1u);
    uint _e227 = mask;
    mask = _e227 | (static_cast<uint>(_e226.selected) << 17u);
    Row _e235 = row(base_4_ + 2u);
    uint _e236 = mask;
    mask = _e236 | (static_cast<uint>(_e235.selected) << 18u);
    Row _e244 = row(base_4_ + 3u);
    uint _e245 = mask;
    mask = _e245 | (static_cast<uint>(_e244.selected) << 19u);
    Row _e253 = row(base_5_ + 0u);
    uint _e254 = mask;
    mask = _e254 | (static_cast<uint>(_e253.selected) << 20u);
    Row _e262 = row(base_5_ + 1u);
    uint _e263 = mask;
    mask = _e263 | (static_cast<uint>(_e262.selected) << 21u);
    Row _e271 = row(base_5_ + 2u);
    uint _e272 = mask;
    mask = _e272 | (static_cast<uint>(_e271.selected) << 22u);
    Row _e280 = row(base_5_ + 3u);
    uint _e281 = mask;
    mask = _e281 | (static_cast<uint>(_e280.selected) << 23u);
    Row _e289 = row(base_6_ + 0u);
    uint _e290 = mask;
    mask = _e290 | (static_cast<uint>(_e289.selected) << 24u);
    Row _e298 = row(base_6_ + 1u);
    uint _e299 = mask;
    mask = _e299 | (static_cast<uint>(_e298.selected) << 25u);
    Row _e307 = row(base_6_ + 2u);
    uint _e308 = mask;
    mask = _e308 | (static_cast<uint>(_e307.selected) << 26u);
    Row _e316 = row(base_6_ + 3u);
    uint _e317 = mask;
    mask = _e317 | (static_cast<uint>(_e316.selected) << 27u);
    Row _e325 = row(base_7_ + 0u);
    uint _e326 = mask;
    mask = _e326 | (static_cast<uint>(_e325.selected) << 28u);
    Row _e334 = row(base_7_ + 1u);
    uint _e335 = mask;
    mask = _e335 | (static_cast<uint>(_e334.selected) << 29u);
    Row _e343 = row(base_7_ + 2u);
    uint _e344 = mask;
    mask = _e344 | (static_cast<uint>(_e343.selected) << 30u);
    Row _e352 = row(base_7_ + 3u);
    uint _e353 = mask;
    mask = _e353 | (static_cast<uint>(_e352.selected) << 31u);
    if ((rows_1 - start) < 8192u) {
        uint _e364 = there;
        there = _e364 | (((1u << metal::min(rows_1 - metal::min(base_0_, rows_1), 4u)) - 1u) << 0u);
        uint _e376 = there;
        there = _e376 | (((1u << metal::min(rows_1 - metal::min(base_1_, rows_1), 4u)) - 1u) << 4u);
        uint _e388 = there;
        there = _e388 | (((1u << metal::min(rows_1 - metal::min(base_2_, rows_1), 4u)) - 1u) << 8u);
        uint _e400 = there;
        there = _e400 | (((1u << metal::min(rows_1 - metal::min(base_3_, rows_1), 4u)) - 1u) << 12u);
        uint _e412 = there;
        there = _e412 | (((1u << metal::min(rows_1 - metal::min(base_4_, rows_1), 4u)) - 1u) << 16u);
        uint _e424 = there;
        there = _e424 | (((1u << metal::min(rows_1 - metal::min(base_5_, rows_1), 4u)) - 1u) << 20u);
        uint _e436 = there;
        there = _e436 | (((1u << metal::min(rows_1 - metal::min(base_6_, rows_1), 4u)) - 1u) << 24u);
        uint _e448 = there;
        there = _e448 | (((1u << metal::min(rows_1 - metal::min(base_7_, rows_1), 4u)) - 1u) << 28u);
        uint _e460 = mask;
        uint _e461 = there;
        mask = _e460 & _e461;
    }
    uint _e463 = mask;
    uint _e464 = mask;
    uint pairs = _e463 - ((_e464 >> 1u) & 1431655765u);
    uint fours = (pairs & 858993459u) + ((pairs >> 2u) & 858993459u);
    uint own0_ = (fours >> 0u) & 252645135u;
    c0_ = own0_;
    shared_counts.inner[metal::min(unsigned(0u + lane), 1023u)] = own0_;
    uint own1_ = (fours >> 4u) & 252645135u;
    c1_ = own1_;
    shared_counts.inner[metal::min(unsigned(256u + lane), 1023u)] = own1_;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    bool loop_init_5 = true;
    while(true) {
        if (!loop_init_5) {
            uint _e545 = h;
            h = _e545 << 1u;
        }
        loop_init_5 = false;
        uint _e499 = h;
        if (_e499 < 32u) {
        } else {
            break;
        }
        {
            uint _e504 = h;
            if ((lane & 31u) >= _e504) {
                uint _e506 = c0_;
                uint _e508 = half_;
                uint _e512 = h;
                uint _e515 = shared_counts.inner[metal::min(unsigned(((_e508 + 0u) + lane) - _e512), 1023u)];
                c0_ = _e506 + _e515;
                uint _e517 = c1_;
                uint _e519 = half_;
                uint _e523 = h;
                uint _e526 = shared_counts.inner[metal::min(unsigned(((_e519 + 256u) + lane) - _e523), 1023u)];
                c1_ = _e517 + _e526;
            }
            uint _e529 = half_;
            half_ = 512u - _e529;
            uint _e532 = half_;
            uint _e537 = c0_;
            shared_counts.inner[metal::min(unsigned((_e532 + 0u) + lane), 1023u)] = _e537;
            uint _e539 = half_;
            uint _e544 = c1_;
            shared_counts.inner[metal::min(unsigned((_e539 + 256u) + lane), 1023u)] = _e544;
// … 54 more lines with the checksum 8c845491e8bb749d
