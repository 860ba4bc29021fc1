import { createHash } from 'node:crypto';
import { DropError } from '../../../shared/domain/errors.ts';
import type { DocumentFindings } from '../../../shared/page-checks/check-document.ts';
import { examples, notWhole } from '../../../shared/page-checks/page-checks.ts';
import type { Finding } from '../../../shared/page-checks/secrets.ts';
import { type Html, html } from '../../html/html.ts';

/** In the details of the error that asks. */
interface Asked {
  readonly field: 'anyway';
  /** For people, one line each. */
  readonly risks: readonly string[];
  /** What the field `anyway` has if the person publishes in spite of these risks. */
  readonly answer: string;
}

/** Whether secrets are to be published, and a page without its files. @param answer of the person @throws DropError `invalid_arg` that asks */
export function askAboutRisks(found: DocumentFindings, answer: string): void {
  const { secrets, contextSecrets, files, isWhole } = found;
  const risks = [
    ...secrets.map((one) => secretText('Line', one)),
    ...contextSecrets.map((one) => secretText('Context, line', one)),
  ];
  if (files.size > 0) risks.push(`Viewers will not see ${examples(files)}: only this one file is published.`);
  if (!isWhole) risks.push(`${notWhole.charAt(0).toUpperCase()}${notWhole.slice(1)}.`);
  if (risks.length === 0) return;
  const asked: Asked = { field: 'anyway', risks, answer: digest(risks) };
  if (answer === asked.answer) return;
  const message = 'Nothing was published yet. Look at what is listed below the button';
  throw new DropError('invalid_arg', message, { ...asked });
}

function secretText(place: string, { line, kind }: Finding): string {
  return `${place} ${line} seems to contain a secret (${kind}): everybody with the link could read it.`;
}

/** Another document with other risks is asked about again. */
function digest(risks: readonly string[]): string {
  return createHash('sha256').update(risks.join('\n')).digest('base64url').slice(0, 22);
}

/** Its button comes after the form's own, because the Enter key presses the first. */
export function risksQuestion(error: DropError | undefined): Html {
  const isAsked = error?.details?.field === 'anyway';
  const { risks, answer } = isAsked ? (error.details as unknown as Asked) : { risks: [], answer: '' }; // proof: `askAboutRisks` has made it
  return html`<div class="notice bad" id="anyway" role="group" tabindex="-1" aria-labelledby="question" aria-describedby="risks"${isAsked ? html` autofocus` : html` hidden`}><p class="strong" id="question">Publish it anyway?</p>
<ul id="risks">${risks.map((risk) => html`<li class="wrap-anywhere">${risk}</li>`)}</ul>
<button type="submit" class="quiet" name="anyway" value="${answer}">Publish anyway</button></div>`;
}
