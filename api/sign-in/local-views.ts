import type { DropError } from '../../shared/domain/errors.ts';
import { fieldState, formError } from '../html/forms.ts';
import { type Html, html, visible } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';

/** The form of name and key: where it is sent, and its hidden fields. */
export interface LocalForm {
  readonly action: string;
  readonly fields?: Html;
  /** Other ways to sign in, which its first page has above and below the form. */
  readonly above?: Html | false;
  readonly below?: Html | false;
}

/** The user signs in with a name and the sign-in key. */
export function localPage(form: LocalForm, name: string, error?: DropError): PageParts {
  const { action, fields, above, below } = form;
  const isInvalid = (field: string) => error?.details?.field === field;
  const hasFocus = !above || error !== undefined;
  return {
    title: 'Sign in',
    error,
    body: html`<h1>Sign in</h1>
${above}<p class="soft">Choose a name and enter the sign-in key of this service.</p>
<form method="post" action="${action}">
${fields}${formError(error)}
${nameField(name, isInvalid('name'), hasFocus && !isInvalid('key'))}
<label for="key">Sign-in key</label>
<input id="key" name="key" type="password" maxlength="200" required autocomplete="current-password"${fieldState(isInvalid('key'), 'key-hint')}>
<p class="hint" id="key-hint">The operator prints it with <code>bin/dropleaf.js sign-in-key</code>.</p>
<button type="submit"${above && html` class="quiet"`}>Sign in</button>
</form>
${below}`,
  };
}

function nameField(name: string, isInvalid: boolean, hasFocus: boolean): Html {
  return html`<label for="name">Name</label>
<input id="name" name="name" type="text" value="${name}" maxlength="60" required autocomplete="username" autocapitalize="none"
  autocorrect="off" spellcheck="false"${fieldState(isInvalid, 'name-hint')}${hasFocus && !isInvalid && html` autofocus`}>
<p class="hint" id="name-hint">Each name is an account. You are asked before a new one is created.</p>`;
}

function proofField(proof: string): Html {
  return html`<input type="hidden" name="proof" value="${proof}">`;
}

/** The key was right, and another name is needed. @param proof stands for the key */
export function namePage(
  { action, fields }: LocalForm,
  name: string,
  proof: string,
  error?: DropError,
): PageParts {
  return {
    title: 'Choose a name',
    error,
    body: html`<h1>Choose a name</h1>
<p class="soft">The sign-in key is right: you need not enter it again.</p>
<form method="post" action="${action}">
${fields}${proofField(proof)}${formError(error)}
${nameField(name, error?.details?.field === 'name', true)}
<button type="submit">Continue</button>
</form>`,
  };
}

/** Somebody else has created an account with this name since the person was asked. @param proof stands for the key */
export function takenPage(form: LocalForm, name: string, proof: string): PageParts {
  return {
    title: 'This name has an account now',
    body: html`<h1>This name has an account now</h1>
<p>Somebody has just created the account <strong class="wrap-anywhere">${name}</strong>. Sign in to it only if it is yours.</p>
${choice(
  form,
  name,
  proof,
  html`<button type="submit" name="answer" value="other">Other name</button>
<button type="submit" class="quiet">Sign in to it</button>`,
)}`,
  };
}

function choice({ action, fields }: LocalForm, name: string, proof: string, buttons: Html): Html {
  return html`<form method="post" action="${action}">${fields}
<input type="hidden" name="name" value="${name}">
${proofField(proof)}
<div class="choices">
${buttons}
</div>
</form>`;
}

/** No account has the name: perhaps it was mistyped. @param proof stands for the key */
export function newAccountPage(
  form: LocalForm,
  { name, typed }: { readonly name: string; readonly typed: string },
  proof: string,
): PageParts {
  const isDerived = typed.trim().toLowerCase() !== name;
  return {
    title: 'Create an account?',
    body: html`<h1>There is no account with this name yet. Create it?</h1>
<p>The new account is called <strong class="wrap-anywhere">${name}</strong>, and has no pages. If you have an account, check how you wrote its name.</p>
${
  isDerived &&
  html`<p class="soft small">You wrote <span class="wrap-anywhere">${visible(typed.trim())}</span>. The name of an account has letters (a-z), digits, “.”, “-” and “_”.</p>
`
}${choice(
  form,
  name,
  proof,
  html`<button type="submit" name="answer" value="create">Create account</button>
<button type="submit" class="quiet" name="answer" value="other">Other name</button>`,
)}`,
  };
}
