import { lineOf } from './page-scan.ts';

/** Text that looks like a credential. */
export interface Finding {
  readonly kind: string;
  /** Both from 1; the column in UTF-16 units. */
  readonly line: number;
  readonly column: number;
  /** What may be shown of it. */
  readonly start: string;
}

const maxFindings = 10;
/** A random token of 20 characters has at least this many different ones; `xxxx…` and `1234…` placeholders do not. */
const minVariety = 9;

/** Fixed text at the start of a word, then one class at a time: linear. Sources: the issuers' documentation, gitleaks. */
const formats: readonly {
  kind: string;
  pattern: string;
  isSecret?: (match: string, now: number) => boolean;
}[] = [
  { kind: 'Dropleaf token', pattern: 'dl_[0-9A-Za-z]{36}(?![0-9A-Za-z])' },
  { kind: 'GitHub token', pattern: 'gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_[0-9A-Za-z_]{60,255}' },
  {
    kind: 'GitLab token',
    pattern: 'gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[0-9A-Za-z_-]{20,300}',
  },
  {
    kind: 'AWS access key',
    pattern: '(?:AKIA|ASIA)[A-Z2-7]{16}(?![0-9A-Za-z])',
    isSecret: (match) => !match.endsWith('EXAMPLE'), // the ones of AWS's documentation
  },
  {
    kind: 'AWS secret key',
    pattern:
      '(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|secretAccessKey)["\']?\\s{0,5}[=:]\\s{0,5}["\']?[0-9A-Za-z/+]{40}(?![0-9A-Za-z/+])',
    isSecret: (match) => !match.endsWith('EXAMPLEKEY'),
  },
  { kind: 'Google API key', pattern: 'AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])' },
  { kind: 'Google OAuth secret', pattern: 'GOCSPX-[0-9A-Za-z_-]{28}|ya29\\.[0-9A-Za-z_-]{40,500}' },
  { kind: 'Slack token', pattern: 'xox[abeoprs]-[0-9A-Za-z-]{20,300}|xapp-\\d-[0-9A-Za-z-]{20,300}' },
  { kind: 'Slack webhook', pattern: 'hooks\\.slack\\.com/(?:services|workflows)/[0-9A-Za-z/]{30,100}' },
  { kind: 'Stripe key', pattern: '(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,250}|whsec_[0-9A-Za-z]{32,100}' },
  { kind: 'Anthropic key', pattern: 'sk-ant-[0-9A-Za-z]{2,20}-[0-9A-Za-z_-]{20,300}' },
  {
    kind: 'OpenAI key',
    pattern: 'sk-(?:proj|svcacct|admin)-[0-9A-Za-z_-]{20,300}|sk-[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}',
  },
  { kind: 'Hugging Face token', pattern: 'hf_[0-9A-Za-z]{34}(?![0-9A-Za-z])' },
  { kind: 'npm token', pattern: 'npm_[0-9A-Za-z]{36}(?![0-9A-Za-z])' },
  { kind: 'PyPI token', pattern: 'pypi-AgE[0-9A-Za-z_-]{50,500}' },
  { kind: 'SendGrid key', pattern: 'SG\\.[0-9A-Za-z_-]{22}\\.[0-9A-Za-z_-]{43}(?![0-9A-Za-z_-])' },
  { kind: 'Twilio key', pattern: 'SK[0-9a-f]{32}(?![0-9A-Za-z])' },
  { kind: '1Password token', pattern: 'ops_eyJ[0-9A-Za-z+/_-]{100,2000}' },
  { kind: 'Airtable token', pattern: 'pat[0-9A-Za-z]{14}\\.[0-9a-f]{64}' },
  { kind: 'Atlassian token', pattern: 'ATATT3[0-9A-Za-z_=-]{100,300}' },
  { kind: 'Databricks token', pattern: 'dapi[0-9a-f]{32}(?![0-9a-z])' },
  { kind: 'DigitalOcean token', pattern: 'do[opr]_v1_[0-9a-f]{64}' },
  { kind: 'Docker token', pattern: 'dckr_(?:pat|oat)_[0-9A-Za-z_-]{27,100}' },
  { kind: 'Figma token', pattern: 'fig[dour]_[0-9A-Za-z_-]{40,100}' },
  { kind: 'Grafana token', pattern: 'gls?[ac]_[0-9A-Za-z]{32}_[0-9a-f]{8}|glc_eyJ[0-9A-Za-z+/=]{30,400}' },
  { kind: 'Groq key', pattern: 'gsk_[0-9A-Za-z]{52}' },
  { kind: 'Vault token', pattern: 'hv[sb]\\.[0-9A-Za-z_-]{90,300}' },
  { kind: 'Linear key', pattern: 'lin_(?:api|oauth)_[0-9A-Za-z]{40}' },
  { kind: 'Mapbox secret token', pattern: 'sk\\.eyJ[0-9A-Za-z_-]{20,500}\\.[0-9A-Za-z_-]{20,100}' },
  { kind: 'New Relic key', pattern: 'NRAK-[0-9A-Z]{27}' },
  { kind: 'Notion token', pattern: 'ntn_[0-9A-Za-z]{40,100}|secret_[0-9A-Za-z]{43}(?![0-9A-Za-z])' },
  { kind: 'OpenRouter key', pattern: 'sk-or-v1-[0-9a-f]{64}' },
  { kind: 'Perplexity key', pattern: 'pplx-[0-9A-Za-z]{40,60}' },
  { kind: 'PlanetScale token', pattern: 'pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.-]{32,64}' },
  { kind: 'Postman key', pattern: 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}' },
  { kind: 'Replicate token', pattern: 'r8_[0-9A-Za-z]{37}' },
  { kind: 'Resend key', pattern: 're_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}(?![0-9A-Za-z])' },
  { kind: 'Sentry token', pattern: 'sntry[su]_(?:eyJ[0-9A-Za-z+/=_-]{80,400}|[0-9a-f]{64})' },
  { kind: 'Shopify token', pattern: 'shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}' },
  { kind: 'Supabase key', pattern: 'sbp_[0-9a-f]{40}|sb_secret_[0-9A-Za-z_-]{20,100}' },
  { kind: 'Tailscale key', pattern: 'tskey-[a-z]{3,20}-[0-9A-Za-z-]{20,100}' },
  { kind: 'xAI key', pattern: 'xai-[0-9A-Za-z]{80}' },
  {
    kind: 'signed token (JWT)',
    pattern: 'eyJ[0-9A-Za-z_-]{10,}\\.eyJ[0-9A-Za-z_-]{10,}\\.[0-9A-Za-z_-]{20,}',
    isSecret: isLiveJwt,
  },
];

/** Those that may stand inside of a word. */
const insideFormats: typeof formats = [
  {
    kind: 'private key',
    // A header without a key behind it is documentation. In JSON the lines are separated by `\n`, written as two characters.
    pattern: '-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[^]){0,200}?[0-9A-Za-z+/]{40}',
  },
  // To search for digits would take as long as all others.
  { kind: 'Telegram bot token', pattern: ':AA(?<=(?<!\\w)\\d{8,10}:AA)[0-9A-Za-z_-]{33}(?![0-9A-Za-z_-])' },
];
/** A word starts after the code of a character, too: `\n`, `%20`. One expression for all of it would take twice as long. */
const searches = [
  { of: formats, start: '(?<![0-9A-Za-z_-])' },
  { of: formats, start: '(?:\\\\[nrt]|%[0-9A-F]{2})' },
  { of: insideFormats, start: '' },
].map(({ of, start }) => {
  const groups = of.map(({ pattern }) => `(${pattern})`).join('|');
  return { of, search: new RegExp(`${start}(?:${groups})`, 'g') };
});

/** `scheme://user:password@host` */
const address = /:\/\/([^\s:@/"'<>`]{0,100}):([^\s@/"'<>`]{3,200})@([^\s/"'<>`:?#]{1,100})/g;
const noPassword =
  /^(?:(?:pass(?:word|wd)?|pwd?|pw|secret|user(?:name)?|token|key)[_-]?\d{0,4}|test|example|change.*|your.*|x+|\*+|\.+|…|[$%{[(&].*)$/i;
const noHost =
  /^(?:localhost|127\.|0\.0\.0\.0|host(?:name)?$|server$|db$|x$|[${%[])|(?:^|\.)(?:example|invalid|test)(?:\.|$)/i;

/** `password = "…"`, also in JSON, in JSON inside a string, and as shown in HTML. */
const assignment =
  /(?:passw(?:or)?d|passphrase|(?:secret|private)(?:[_-]?(?:access[_-]?)?key)?|(?:api|access|auth)[_-]?(?:key|token))(?:\\?["']|&quot;)?\s{0,5}(?::|=>?)\s{0,5}\\?(["'`]|&quot;)([^"'`\s\\<>]{8,100}?)\\?\1/gi;
const noValue =
  /pass|pwd|secret|token|key|example|change|your|test|demo|dummy|sample|x{3}|\*{3}|\.{3}|…|1234|abc|\$[{(]|\{\{|^[#.$%@/[{]|:\/\/|\.[a-z]{2,4}(?:[?#]|$)|^(?:eyJ|pk[._-])/i;

/** @param now Unix ms: a signed token that has expired is no secret */
export function findSecrets(text: string, now: number): Finding[] {
  const found = [...findKnown(text, now), ...findAddresses(text)];
  const isFound = (at: number, end: number) => found.some((one) => one.at < end && at < one.end);
  for (const { 0: whole, 2: value = '', index } of text.matchAll(assignment)) {
    const end = index + whole.length;
    const needed = /^pass/i.test(whole) ? 8 : 16;
    if (value.length < needed || noValue.test(value) || !isMixed(value) || isFound(index, end)) continue;
    found.push({ kind: 'password or key', at: index, end, start: `${whole.split(/[^\w-]/, 1)[0]}…` });
    if (found.length >= maxFindings) break;
  }
  const first = found.sort((a, b) => a.at - b.at).slice(0, maxFindings);
  return first.map(({ kind, at, start }) => ({ kind, ...position(text, at), start }));
}

interface Found {
  readonly kind: string;
  readonly at: number;
  readonly end: number;
  readonly start: string;
}

function findKnown(text: string, now: number): Found[] {
  const all: Found[] = [];
  for (const { of, search } of searches) {
    for (const { 0: whole, index, ...found } of text.matchAll(search)) {
      const n = of.findIndex((_, at) => found[at + 1] !== undefined);
      const [format, match = ''] = [of[n], found[n + 1]];
      if (format === undefined || !isRandom(match) || format.isSecret?.(match, now) === false) continue;
      const end = index + whole.length;
      all.push({ kind: format.kind, at: end - match.length, end, start: shown(match) });
      if (all.length >= maxFindings) break;
    }
  }
  return all;
}

function findAddresses(text: string): Found[] {
  const all: Found[] = [];
  for (const { 0: match, 1: user, 2: password = '', 3: host = '', index } of text.matchAll(address)) {
    const scheme = /[a-z][a-z0-9+.-]{1,20}$/i.exec(text.slice(Math.max(0, index - 21), index))?.[0];
    if (scheme === undefined || password === user || noPassword.test(password) || noHost.test(host)) continue;
    const at = index - scheme.length;
    all.push({ kind: 'password in an address', at, end: index + match.length, start: `${scheme}://…` });
    if (all.length === maxFindings) break;
  }
  return all;
}

/** Letters and digits, of which few repeat: no word of a language, and no name in a program. */
function isMixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && new Set(value).size >= 6;
}

function position(text: string, offset: number): { line: number; column: number } {
  return { line: lineOf(text, offset), column: offset - text.lastIndexOf('\n', offset - 1) };
}

/** The fixed text of its format and little more: never enough to use it. */
function shown(match: string): string {
  return match.startsWith('-----') ? match.slice(0, match.indexOf('-----', 5) + 5) : `${match.slice(0, 8)}…`;
}

function isRandom(match: string): boolean {
  return new Set(match.slice(-30)).size >= minVariety;
}

/** Not a secret: expired, made for anybody (Supabase's `anon`), or the example of jwt.io that documentation quotes. */
function isLiveJwt(match: string, now: number): boolean {
  const [header, payload] = match.split('.', 2).map(readJson);
  if (header?.alg === undefined || payload === undefined || payload === null) return false;
  const { exp, role, sub } = payload;
  return !(typeof exp === 'number' && exp * 1000 < now) && role !== 'anon' && sub !== '1234567890';
}

function readJson(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null; // proof: an object has string keys
  } catch {
    return null; // three words with dots between, not a token
  }
}
