import { object, string } from 'yup';
import {
  type Complaint,
  type ReportReason,
  reportIdPattern,
  reportReasons,
} from '../../shared/domain/report.ts';
import { atMostCharacters, invalid, text, validate } from '../http/validate.ts';

export const contactMaxCharacters = 200;

const chooseOne = invalid('Choose what is wrong with the page.');
const staleForm = invalid('This form is incomplete. Open it anew, and send that one.');
const sayWhat = invalid('Say in a few words what is wrong.');

/**
 * The bytes that a legal form can have: each character is at most four bytes, and each of them sent as `%XX`; a line
 * end is sent as two.
 */
export function reportFormBytes(textMaxCharacters: number): number {
  return 12 * (textMaxCharacters + contactMaxCharacters) + 1024;
}

/**
 * Reads the fields of POST /report/{slug}. One that is missing counts as empty.
 * @returns a function of the posted fields. It throws DropError `invalid_arg`
 */
export function createReportReader(limits: { readonly REPORT_MAX_CHARACTERS: number }) {
  const schema = object({
    id: text('id').matches(reportIdPattern, { message: staleForm, name: 'report-id' }).defined(),
    reason: string<ReportReason>().oneOf(reportReasons, chooseOne).required(chooseOne),
    text: text('text')
      .defined()
      .test(atMostCharacters('invalid_arg', 'text', limits.REPORT_MAX_CHARACTERS))
      .when('reason', ([reason], field) => (reason === 'other' ? field.required(sayWhat) : field)),
    contact: text('contact')
      .defined()
      .test(atMostCharacters('invalid_arg', 'contact', contactMaxCharacters)),
  });

  return (form: ReadonlyMap<string, string>): { id: string; complaint: Complaint } => {
    const { id, reason, ...rest } = validate(schema, {
      id: form.get('id') ?? '',
      reason: form.get('reason') ?? '',
      text: tidied(form.get('text')),
      contact: tidied(form.get('contact')),
    });
    return { id, complaint: { reason, text: rest.text, contact: rest.contact || null } };
  };
}

/** Forms send the end of a line as CR LF. */
function tidied(value: string | undefined): string {
  return (value ?? '').replace(/\r\n?/g, '\n').trim();
}
