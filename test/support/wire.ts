export interface WirePublisher {
  kind: 'token' | 'session';
  id: string;
  label: string | null;
}

/** A drop as answers show it (spec section 2). */
export interface WireDrop {
  slug: string;
  title: string;
  description?: string;
  url: string;
  raw_url: string;
  locked: boolean;
  latest_version: number;
  view_count: number;
  metadata: Record<string, string>;
  created_at: number;
  updated_at: number;
  expires_at?: number;
  taken_down?: { at: number; reason: string };
  comments?: string;
  /** Absent: who has the address. */
  access?: string;
  /** Only with `access` `named`. */
  people?: string[];
  open_comments?: number;
  warnings?: string[];
}

export interface WireVersionListItem {
  version: number;
  size_bytes: number;
  /** Absent: published before it was stored. */
  sha256?: string;
  has_context: boolean;
  created_at: number;
  /** Only with `include=published_by`. */
  published_by?: WirePublisher | null;
}

export interface WireVersion {
  slug: string;
  version: number;
  size_bytes: number;
  sha256: string;
  context: string | null;
  created_at: number;
  is_latest: boolean;
  published_by?: WirePublisher | null;
}

export interface WireCommentAuthor {
  name: string;
  role: string;
  via: string | null;
}

export interface WireComment {
  id: string;
  drop: string;
  url: string;
  version: number;
  state: string;
  kind: string;
  anchor?: { quote: string; prefix: string; suffix: string; in_latest: string; changed_to?: string };
  author: WireCommentAuthor;
  text: string;
  replies: { id: string; author: WireCommentAuthor; text: string; created_at: number }[];
  resolved_by_version?: number;
  created_at: number;
  updated_at: number;
}

export interface WireCommentList {
  data: WireComment[];
  next: string;
  notice: string;
}

/** A drop as it is listed to those with whom it is shared. */
export interface WireSharedDrop {
  slug: string;
  title: string;
  url: string;
  raw_url: string;
  owner: string;
  updated_at: number;
  access: string;
}

export interface WireSharedList {
  data: WireSharedDrop[];
  next?: string;
}

export interface WirePagination {
  page: number;
  page_size: number;
  total_items: number;
  total_pages: number;
  sort_by: string;
  sort_order: string;
}

export interface WireToken {
  id: string;
  label: string | null;
  created_at: number;
  last_used_at: number | null;
  expires_at?: number;
  scope?: string;
}

export interface WireError {
  code: string;
  message: string;
  details: Record<string, unknown>;
}

/** Everything that some answer holds: a test reads what its own answer is to hold, and fails if it is not there. */
export interface WireBody extends WireDrop, Omit<WireVersion, 'slug' | 'created_at'> {
  error: WireError;
  data: WireDrop[];
  pagination: WirePagination;
  user_id: string;
  name?: string;
  drop_count: number;
  /** Absent: `link`. */
  default_access?: string;
  inbox?: { held: number; new: number };
  token: WireToken | null;
  instructions: string;
  public_url: string;
  code: string;
  verification_url: string;
  poll_token: string;
  expires_in: number;
  poll_interval: number;
  status: string;
  api_token?: string;
  upload_url: string;
  /** Of a comment. */
  id: string;
}
