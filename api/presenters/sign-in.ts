import type { PollResult, StartedSignIn } from '../../shared/services/sign-ins.ts';
import { codePathWith } from '../paths.ts';

/** The answer to POST /api/auth/start (spec 4.2). */
export function presentStart(started: StartedSignIn, baseUrl: string) {
  return {
    code: started.code,
    verification_url: baseUrl + codePathWith(started.code),
    poll_token: started.pollToken,
    expires_in: started.expiresInSeconds,
    poll_interval: started.pollIntervalSeconds,
  };
}

/** The answer to GET /api/auth/poll; the token's fields only where it is revealed. */
export function presentPoll(result: PollResult) {
  if (result.status !== 'verified') return { status: result.status };
  return { status: result.status, api_token: result.apiToken, user_id: result.userId };
}
