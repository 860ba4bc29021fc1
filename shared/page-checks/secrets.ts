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
  { kind: 'Telegram bot token', pattern: '\\d{8,10}:AA[0-9A-Za-z_-]{33}(?![0-9A-Za-z_-])' },
  {
    kind: 'signed token (JWT)',
    pattern: 'eyJ[0-9A-Za-z_-]{10,}\\.eyJ[0-9A-Za-z_-]{10,}\\.[0-9A-Za-z_-]{20,}',
    isSecret: isLiveJwt,
  },
];

/** A header without a key behind it is documentation. In JSON the lines are separated by `\n`, written as two characters. */
const privateKey =
  '-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[^]){0,200}?[0-9A-Za-z+/]{40}';

/** @param now Unix ms: a signed token that has expired is no secret */
export function findSecrets(text: string, now: number): Finding[] {
  const words = formats.map(({ pattern }) => `(${pattern})`).join('|');
  const search = new RegExp(`(?<![0-9A-Za-z_-])(?:${words})|(${privateKey})`, 'g');
  const findings: Finding[] = [];
  for (const found of text.matchAll(search)) {
    if (findings.length === maxFindings) break;
    const index = found.slice(1).findIndex((group) => group !== undefined);
    const format = formats[index];
    if (format !== undefined && !isRandom(found[0])) continue;
    if (format?.isSecret !== undefined && !format.isSecret(found[0], now)) continue;
    findings.push({
      kind: format?.kind ?? 'private key',
      ...position(text, found.index),
      start: shown(found[0]),
    });
  }
  return findings;
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
