import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DropError, unavailable } from '../domain/errors.ts';
import type { FileSizes } from '../metrics/metrics.ts';
import { DiskReserve, reserveBytes } from './disk-reserve.ts';
import { resultCodeOf } from './result-codes.ts';

/** Result codes of a disk that does not accept writes (https://sqlite.org/rescode.html): READONLY, IOERR, FULL. */
const diskCodes = [8, 10, 13];
const full = 13;

/** The same of Node, for the flushes that this process makes itself. */
const diskErrors = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'];

/** An error that crossed a thread has lost its code. */
const diskMessage = /^(database or disk is full|disk I\/O error|attempt to write a readonly database)$/;

/** A disk with less space stays full until space was freed; of a small disk, a twentieth. */
const spareBytes = 64 * 1024 * 1024;
/** With less space an I/O error means that the disk is full: SQLite reports it so for the file of its shared memory. */
const noBytes = 1024 * 1024;

const retrySeconds = 10;

interface DiskFailure {
  /** `disk_failed`: mounted read-only, an I/O error or a quota. */
  readonly reason: 'disk_full' | 'disk_failed';
  /** Space that this user may fill; null: unknown. */
  readonly freeBytes: number | null;
  /** SQLite's error. */
  readonly err: unknown;
}

export interface DiskReports {
  /** Called for each write that the disk refuses. */
  diskFailed?(failure: DiskFailure): void;
  diskRecovered?(): void;
}

/** Remembers whether the disk of the database file accepts writes, and keeps space on it for urgent acts. */
export class DiskWatch {
  readonly #path: string;
  readonly #reports: DiskReports;
  readonly #reserve: DiskReserve;
  #failure: DiskFailure | null = null;
  #urgentActs = 0;

  /** @param path of the database file */
  constructor(path: string, reports: DiskReports) {
    this.#path = path;
    this.#reports = reports;
    this.#reserve = new DiskReserve(path);
  }

  /** Whether the last write failed because of the disk. */
  isFailing(): boolean {
    return this.#failure !== null;
  }

  /** @returns what the caller of a failed write gets; null: the disk is not the reason */
  failed(error: unknown): DropError | null {
    const found = findDiskFailure(error, this.#path);
    return found === null ? null : this.#note(found);
  }

  /** As `failed`: whatever the error is, the disk has not confirmed what it was given. */
  flushFailed(error: unknown): DropError {
    const freeBytes = spaceOf(this.#path)?.freeBytes ?? null;
    const found = findDiskFailure(error, this.#path);
    return this.#note(found ?? { reason: 'disk_failed', freeBytes, err: error });
  }

  /** After a write that changed something. A full disk may still have space for a small write. */
  succeeded(): void {
    if (this.#failure === null) return;
    const freeBytes = spaceOf(this.#path)?.freeBytes ?? null;
    if (this.#isScarce(this.#failure.freeBytes) && this.#isScarce(freeBytes)) return;
    this.#failure = null;
    this.#reports.diskRecovered?.();
  }

  /** What a write gets that is not tried: space that was freed for urgent acts is for them. null: it is tried. */
  refusal(): DropError | null {
    if (this.#failure?.reason !== 'disk_full' || this.#urgentActs > 0 || this.#reserve.exists()) return null;
    return this.#hasLess(2 * reserveBytes) ? refusalOf(this.#failure) : null;
  }

  /** Keeps space for urgent acts, if the disk has enough. Called again and again. */
  keepReserve(): void {
    if (this.#reserve.exists()) return;
    const freeBytes = spaceOf(this.#path)?.freeBytes ?? 0;
    if (!this.#isScarce(freeBytes - reserveBytes)) this.#reserve.create();
  }

  /** Frees the reserve if the disk is full, also before anything has failed. Other writes are tried meanwhile, too. */
  async urgently<T>(work: () => Promise<T>): Promise<T> {
    this.#urgentActs += 1;
    try {
      if (this.#failure !== null || this.#hasLess(reserveBytes)) this.#reserve.free();
      return await work();
    } finally {
      this.#urgentActs -= 1;
    }
  }

  /** @throws DropError `unavailable` if the last write failed because of the disk */
  check(): void {
    if (this.#failure !== null) throw refusalOf(this.#failure);
  }

  #note(failure: DiskFailure): DropError {
    this.#failure = failure;
    this.#reports.diskFailed?.(failure);
    return refusalOf(failure);
  }

  #hasLess(bytes: number): boolean {
    const space = spaceOf(this.#path);
    return space !== null && space.freeBytes < bytes;
  }

  #isScarce(freeBytes: number | null): boolean {
    const space = spaceOf(this.#path);
    return freeBytes !== null && space !== null && freeBytes < Math.min(spareBytes, space.totalBytes / 20);
  }
}

/** null: the error has another reason than the disk. */
export function findDiskFailure(error: unknown, path: string): DiskFailure | null {
  if (!(error instanceof Error)) return null;
  if (!isDiskError(error)) return null;
  const freeBytes = spaceOf(path)?.freeBytes ?? null;
  const isFull = saysFull(error) || (freeBytes !== null && freeBytes < noBytes);
  return { reason: isFull ? 'disk_full' : 'disk_failed', freeBytes, err: error };
}

function isDiskError(error: Error): boolean {
  const code = resultCodeOf(error);
  if (code !== null) return diskCodes.includes(code);
  return diskMessage.test(error.message) || diskErrors.includes(systemCodeOf(error));
}

function saysFull(error: Error): boolean {
  return (
    resultCodeOf(error) === full || error.message.includes('is full') || systemCodeOf(error) === 'ENOSPC'
  );
}

/** Such as `EIO`; empty: the error is not one of the system. */
function systemCodeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Requests and jobs do not log it again. Clients learn no path and no number. */
function refusalOf({ reason, err: cause }: DiskFailure): DropError {
  const what = reason === 'disk_full' ? 'The disk is full' : 'The disk does not accept writes';
  const message = `${what}: nothing can be changed until the operator has corrected it; reading works.`;
  return unavailable(message, retrySeconds, { reason, cause, isReported: true });
}

/** null: a broken disk may not tell. */
function spaceOf(path: string): { freeBytes: number; totalBytes: number } | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(dirname(path));
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

/** @param path of the database file */
export function readFileSizes(path: string): FileSizes {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    database: sizeOf(path),
    wal: sizeOf(`${path}-wal`),
    free: spaceOf(path)?.freeBytes ?? null,
  };
}
