// On every page with a form that is posted (api/html/layout.ts). Without it the browser sends the form.
import { startForms } from './forms/send.ts';

startForms();
