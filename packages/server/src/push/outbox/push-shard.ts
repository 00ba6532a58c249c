import { crc32 } from 'node:zlib';

/** Settings are spread over so many shards; a shard's pushes are made by one server at a time. */
export const SHARDS = 64;

export function shardOf(settingId: string): number {
  return crc32(settingId) % SHARDS;
}

export const LEASE_GROUP = 'push';

/** The name of the lease under which a shard is worked on. */
export function leaseOf(shard: number): string {
  return `${LEASE_GROUP}/${shard}`;
}

export const allShardLeases: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => leaseOf(shard));
