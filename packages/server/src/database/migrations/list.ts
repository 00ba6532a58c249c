import type { Migration } from '../migration.ts';
import { groundFloor } from './0001-ground-floor.ts';

/** In order. A migration that has been released is frozen: a mistake is mended by the next one. */
export const migrations: readonly Migration[] = [groundFloor];
