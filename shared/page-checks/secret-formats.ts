/** How credentials of one issuer are written. */
export interface SecretFormat {
  readonly kind: string;
  /** Fixed words, separated by spaces. One of them begins the credential; all else is looked at only where one stands. */
  readonly starts: string;
  /** An expression for what follows. Each part has a bound, so that a look at one place has one, too. */
  readonly rest: string;
  /** Whether text of this form is a secret, in spite of what it says. @param now Unix ms */
  readonly isSecret?: (match: string, now: number) => boolean;
}

/** Every credential has at least so many characters of `credentialCharacters` at its start. */
export const shortestStart = 15;
export const credentialCharacters = /[0-9A-Za-z_.+/=-]/;

/** The first that fits counts. Sources: the issuers' documentation, gitleaks. */
export const secretFormats: readonly SecretFormat[] = [
  { kind: 'Dropleaf token', starts: 'dl_', rest: '[0-9A-Za-z]{36}(?![0-9A-Za-z])' },
  { kind: 'GitHub token', starts: 'ghp_ gho_ ghu_ ghs_ ghr_', rest: '[0-9A-Za-z]{36,255}' },
  { kind: 'GitHub token', starts: 'github_pat_', rest: '[0-9A-Za-z_]{60,255}' },
  {
    kind: 'GitLab token',
    starts: 'glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-',
    rest: '[0-9A-Za-z_-]{20,300}',
  },
  {
    kind: 'AWS access key',
    starts: 'AKIA ASIA',
    rest: '[A-Z2-7]{16}(?![0-9A-Za-z])',
    isSecret: (match) => !match.endsWith('EXAMPLE'), // the ones of AWS's documentation
  },
  {
    kind: 'AWS secret key',
    starts: 'aws_secret_access_key AWS_SECRET_ACCESS_KEY secretAccessKey',
    rest: '["\']?\\s{0,5}[=:]\\s{0,5}["\']?[0-9A-Za-z/+]{40}(?![0-9A-Za-z/+])',
    isSecret: (match) => !match.endsWith('EXAMPLEKEY'),
  },
  { kind: 'Google API key', starts: 'AIza', rest: '[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])' },
  { kind: 'Google OAuth secret', starts: 'GOCSPX-', rest: '[0-9A-Za-z_-]{28}' },
  { kind: 'Google OAuth secret', starts: 'ya29.', rest: '[0-9A-Za-z_-]{40,500}' },
  {
    kind: 'Slack token',
    starts: 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-',
    rest: '[0-9A-Za-z-]{20,300}',
  },
  { kind: 'Slack token', starts: 'xapp-', rest: '\\d-[0-9A-Za-z-]{20,300}' },
  {
    kind: 'Slack webhook',
    starts: 'hooks.slack.com/services/ hooks.slack.com/workflows/',
    rest: '[0-9A-Za-z/]{30,100}',
  },
  { kind: 'Stripe key', starts: 'sk_live_ sk_test_ rk_live_ rk_test_', rest: '[0-9A-Za-z]{16,250}' },
  { kind: 'Stripe key', starts: 'whsec_', rest: '[0-9A-Za-z]{32,100}' },
  { kind: 'Anthropic key', starts: 'sk-ant-', rest: '[0-9A-Za-z]{2,20}-[0-9A-Za-z_-]{20,300}' },
  { kind: 'OpenAI key', starts: 'sk-proj- sk-svcacct- sk-admin-', rest: '[0-9A-Za-z_-]{20,300}' },
  { kind: 'OpenAI key', starts: 'sk-', rest: '[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}' },
  { kind: 'Hugging Face token', starts: 'hf_', rest: '[0-9A-Za-z]{34}(?![0-9A-Za-z])' },
  { kind: 'npm token', starts: 'npm_', rest: '[0-9A-Za-z]{36}(?![0-9A-Za-z])' },
  { kind: 'PyPI token', starts: 'pypi-AgE', rest: '[0-9A-Za-z_-]{50,500}' },
  { kind: 'SendGrid key', starts: 'SG.', rest: '[0-9A-Za-z_-]{22}\\.[0-9A-Za-z_-]{43}(?![0-9A-Za-z_-])' },
  { kind: 'Twilio key', starts: 'SK', rest: '[0-9a-f]{32}(?![0-9A-Za-z])' },
  { kind: '1Password token', starts: 'ops_eyJ', rest: '[0-9A-Za-z+/_-]{100,2000}' },
  { kind: 'Airtable token', starts: 'pat', rest: '[0-9A-Za-z]{14}\\.[0-9a-f]{64}' },
  { kind: 'Atlassian token', starts: 'ATATT3', rest: '[0-9A-Za-z_=-]{100,300}' },
  { kind: 'Databricks token', starts: 'dapi', rest: '[0-9a-f]{32}(?![0-9a-z])' },
  { kind: 'DigitalOcean token', starts: 'dop_v1_ doo_v1_ dor_v1_', rest: '[0-9a-f]{64}' },
  { kind: 'Docker token', starts: 'dckr_pat_ dckr_oat_', rest: '[0-9A-Za-z_-]{27,100}' },
  { kind: 'Figma token', starts: 'figd_ figo_ figu_ figr_', rest: '[0-9A-Za-z_-]{40,100}' },
  { kind: 'Grafana token', starts: 'gla_ glc_ glsa_ glsc_', rest: '[0-9A-Za-z]{32}_[0-9a-f]{8}' },
  { kind: 'Grafana token', starts: 'glc_eyJ', rest: '[0-9A-Za-z+/=]{30,400}' },
  { kind: 'Groq key', starts: 'gsk_', rest: '[0-9A-Za-z]{52}' },
  { kind: 'Vault token', starts: 'hvs. hvb.', rest: '[0-9A-Za-z_-]{90,300}' },
  { kind: 'Linear key', starts: 'lin_api_ lin_oauth_', rest: '[0-9A-Za-z]{40}' },
  { kind: 'Mapbox secret token', starts: 'sk.eyJ', rest: '[0-9A-Za-z_-]{20,500}\\.[0-9A-Za-z_-]{20,100}' },
  { kind: 'New Relic key', starts: 'NRAK-', rest: '[0-9A-Z]{27}' },
  { kind: 'Notion token', starts: 'ntn_', rest: '[0-9A-Za-z]{40,100}' },
  { kind: 'Notion token', starts: 'secret_', rest: '[0-9A-Za-z]{43}(?![0-9A-Za-z])' },
  { kind: 'OpenRouter key', starts: 'sk-or-v1-', rest: '[0-9a-f]{64}' },
  { kind: 'Perplexity key', starts: 'pplx-', rest: '[0-9A-Za-z]{40,60}' },
  {
    kind: 'PlanetScale token',
    starts: 'pscale_tkn_ pscale_pw_ pscale_oauth_',
    rest: '[0-9A-Za-z_.-]{32,64}',
  },
  { kind: 'Postman key', starts: 'PMAK-', rest: '[0-9a-f]{24}-[0-9a-f]{34}' },
  { kind: 'Replicate token', starts: 'r8_', rest: '[0-9A-Za-z]{37}' },
  { kind: 'Resend key', starts: 're_', rest: '[0-9A-Za-z]{8}_[0-9A-Za-z]{24}(?![0-9A-Za-z])' },
  { kind: 'Sentry token', starts: 'sntrys_ sntryu_', rest: '(?:eyJ[0-9A-Za-z+/=_-]{80,400}|[0-9a-f]{64})' },
  { kind: 'Shopify token', starts: 'shpat_ shpca_ shppa_ shpss_', rest: '[0-9A-Fa-f]{32}' },
  { kind: 'Supabase key', starts: 'sbp_', rest: '[0-9a-f]{40}' },
  { kind: 'Supabase key', starts: 'sb_secret_', rest: '[0-9A-Za-z_-]{20,100}' },
  { kind: 'Tailscale key', starts: 'tskey-', rest: '[a-z]{3,20}-[0-9A-Za-z-]{20,100}' },
  { kind: 'xAI key', starts: 'xai-', rest: '[0-9A-Za-z]{80}' },
  {
    kind: 'signed token (JWT)',
    starts: 'eyJ',
    rest: '[0-9A-Za-z_-]{10,2000}\\.eyJ[0-9A-Za-z_-]{10,8000}\\.[0-9A-Za-z_-]{20,2000}',
    isSecret: isLiveJwt,
  },
];

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
