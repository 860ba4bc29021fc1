import { expect } from 'chai';
import { findMisspelled } from '../../shared/config/config.ts';

/** Variables, and the setting that they are taken for. */
const misspelled = {
  WRITE_PER_MINUTE: 'WRITES_PER_MINUTE',
  WRITE_PER_MINUTES: 'WRITES_PER_MINUTE',
  DROPS_PER_ACOUNT: 'DROPS_PER_ACCOUNT',
  BASEURL: 'BASE_URL',
  BASE_ULR: 'BASE_URL',
  base_url: 'BASE_URL',
  PROT: 'PORT',
  PORTS: 'PORT',
  DATADIR: 'DATA_DIR',
  LOGLEVEL: 'LOG_LEVEL',
  MONGODB_URL: 'MONGODB_URI',
  MONGODB_URI_FIEL: 'MONGODB_URI_FILE',
  TRUST_PROXIES: null, // three edits
  TRUST_PROXI: 'TRUST_PROXY',
  GITHUB_CLIENT_SECERT: 'GITHUB_CLIENT_SECRET',
  PASSCODE_TRIES_PER_ADRES: 'PASSCODE_TRIES_PER_ADDRESS',
  // Settings of earlier releases.
  BODIES_IN_FLIGHT_BYTES: 'BUFFERED_BYTES',
  UNREAD_ANSWERS_BYTES: 'BUFFERED_BYTES',
} as const;

/** Names in environments of shells, CI and hosting platforms that come close to a setting (within 4 edits), or are one. */
const ordinary = `
  PWD HOME HOST HOSTNAME TERM PATH LESS SSH_CONNECTION LOGNAME LOG_NAMESPACE STATE_DIRECTORY XDG_DATA_DIRS SSL_CERT_DIR
  GITLAB_URL GITLAB_API_URL GITLAB_CLIENT_ID GITLAB_CLIENT_SECRET GITEA_URL ANTHROPIC_BASE_URL GITHUB_API_URL GITHUB_ENV
  GITHUB_JOB GITHUB_REF GITHUB_SHA GITHUB_TOKEN PORT REDIS_URL REDIS_TLS_URL MONGODB_URI MONGO_URL REDISPORT REDIS_HOST
  BASE_URL DATA_DIR TRUST_PROXY MONGODB_URI_FILE REDIS_URL_FILE SIGNING_SECRET_FILE DB_HOST DB_PORT APP_PORT APP_URL API_URL
  REDIS_PORT REDIS_PASSWORD MONGODB_PORT MONGODB_DATABASE KUBERNETES_PORT`;

describe('A variable that looks like a misspelled setting', () => {
  it('is found with the setting that is probably meant', () => {
    for (const [name, meant] of Object.entries(misspelled)) {
      expect(findMisspelled({ [name]: '1' }), name).to.deep.equal(meant === null ? [] : [{ name, meant }]);
    }
  });

  it('is ignored if it is empty', () => {
    expect(findMisspelled({ BASEURL: '', DATADIR: undefined })).to.deep.equal([]);
  });

  it('is not one of the names in ordinary environments', () => {
    const env = Object.fromEntries(
      ordinary
        .trim()
        .split(/\s+/)
        .map((name) => [name, '1']),
    );
    expect(findMisspelled(env)).to.deep.equal([]);
  });
});
