import { type Config, maxDropBodyBytes } from '../../shared/config/config.ts';
import { DropError } from '../../shared/domain/errors.ts';
import type { ParseJson } from '../../shared/domain/json.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import {
  type BodyRules,
  checkUtf8,
  htmlBody,
  jsonBody,
  mediaTypeOf,
  type ReadBody,
  readJson,
  refuseIllFormed,
} from './body.ts';
import { HttpError } from './http-error.ts';
import type { ApiRequest } from './parameters.ts';
import type { Content, Policy } from './route.ts';

/** What reads bodies: large JSON is parsed in a thread. */
export interface BodyParts {
  readonly readBody: ReadBody;
  readonly parseJson: ParseJson;
}

/** Gets the body, and its bytes: none without one. */
type UseContent = (body: Pick<Content, 'json' | 'html'>, bytes: Uint8Array) => Promise<void>;

const noBytes = new Uint8Array(0);

/** The largest bodies by what a policy says of them; the size of a document is a setting. */
export const bodyBytes = { tiny: 8 * 1024, small: 256 * 1024 } as const;

/** What the body of a request must be, by the policy of its route. */
export function bodyRules({ body = 'tiny', limit, takesHtml }: Policy, config: Config): BodyRules {
  const maxBytes = body === 'document' ? maxDropBodyBytes(config) : bodyBytes[body];
  // Larger than any valid write: answered `html_too_large`, although html was not read (docs/decisions/requests.md).
  const isWrite = limit === limitTable.write;
  const tooLarge = () => (isWrite ? htmlTooLarge(config.HTML_MAX_BYTES) : bodyTooLarge(maxBytes));
  const accepted = takesHtml ? [...jsonBody.accepted, ...htmlBody.accepted] : jsonBody.accepted;
  return { ...jsonBody, accepted, maxBytes, tooLarge };
}

/**
 * @returns what reads the body of a request as the policy allows: JSON or, where it may be, the document itself
 * @throws DropError what `readJson`, `refuseIllFormed` and `checkUtf8` throw
 */
export function contentReader(
  policy: Policy,
  parts: BodyParts,
  config: Config,
): (req: ApiRequest, client: string, use: UseContent) => Promise<void> {
  if (policy.body === undefined) return (_req, _client, use) => use({ json: {}, html: null }, noBytes);
  const rules = bodyRules(policy, config);
  const htmlRules = { ...rules, types: htmlBody.types, maxBytes: config.HTML_MAX_BYTES };
  return (req, client, use) => {
    if (!policy.takesHtml || !htmlBody.types.test(mediaTypeOf(req)))
      return readJson(parts, req, client, rules, (json, bytes) => {
        refuseIllFormed(json.illFormed);
        return use({ json: json.value, html: null }, bytes);
      });
    return parts.readBody(req, client, htmlRules, (html) => {
      checkUtf8(html);
      return use({ json: {}, html }, html);
    });
  };
}

export function htmlTooLarge(maxBytes: number): DropError {
  const message = `html must be at most ${maxBytes} bytes`;
  return new DropError('html_too_large', message, { field: 'html', max_bytes: maxBytes });
}

function bodyTooLarge(maxBytes: number): DropError {
  const message = `The request body must be at most ${maxBytes} bytes`;
  return new HttpError(413, 'invalid_arg', message, { field: 'body', max_bytes: maxBytes });
}
