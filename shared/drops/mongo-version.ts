import { Schema } from 'mongoose';
import type { OwnedVersion, Publisher, Version } from './drop.ts';

/** A version in the document of its drop. */
export interface VersionDocument {
  readonly id: string;
  readonly number: number;
  readonly size_bytes: number;
  readonly has_context: boolean;
  readonly media_type: string;
  readonly created_at: number;
  /** Absent: published before this was stored. */
  readonly published_by?: Publisher;
}

const publisherSchema = new Schema<Publisher>(
  { kind: String, id: String, label: { type: String, default: null } },
  { _id: false, id: false },
);

export const versionSchema = new Schema<VersionDocument>(
  {
    id: String,
    number: Number,
    size_bytes: Number,
    has_context: Boolean,
    media_type: String,
    created_at: Number,
    published_by: publisherSchema,
  },
  { _id: false, id: false },
);

export function toVersion(version: VersionDocument): Version {
  return {
    id: version.id,
    number: version.number,
    sizeBytes: version.size_bytes,
    hasContext: version.has_context,
    mediaType: version.media_type,
    createdAt: version.created_at,
  };
}

export function toOwnedVersion(version: VersionDocument): OwnedVersion {
  return { ...toVersion(version), publishedBy: version.published_by ?? null };
}

export function versionDocument(version: Omit<OwnedVersion, 'number'>): Omit<VersionDocument, 'number'> {
  return {
    id: version.id,
    size_bytes: version.sizeBytes,
    has_context: version.hasContext,
    media_type: version.mediaType,
    created_at: version.createdAt,
    ...(version.publishedBy !== null && { published_by: version.publishedBy }),
  };
}
