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
  // What others call the address of a server.
  MONGO_URI: 'MONGODB_URI',
  MONGO_URL: 'MONGODB_URI',
  MONGODBURL: 'MONGODB_URI',
  MONGODB_HOST: 'MONGODB_URI',
  MONGODB_CONNECTION_STRING: 'MONGODB_URI',
  MONGO_URI_FILE: 'MONGODB_URI_FILE',
  REDIS_URI: 'REDIS_URL',
  REDISURL: 'REDIS_URL',
  REDIS_HOST: 'REDIS_URL',
  REDIS_DSN: 'REDIS_URL',
  DATABASE_URL: 'MONGODB_URI',
  // A wrong prefix, and files that are not read.
  DROPLEAF_BASE_URL: 'BASE_URL',
  DROPLEAF_DATADIR: 'DATA_DIR',
  GH_CLIENT_ID: 'GITHUB_CLIENT_ID',
  GITHUB_CLIENT_ID_FILE: 'GITHUB_CLIENT_ID',
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

/** Beside a service without servers, too. */
const others = `
  DROPLEAF_TOKEN DROPLEAF_URL DROPLEAF_SERVED_BY DROPLEAF_VERSION DROPLEAF_DATABASE DROPLEAF_REPLICA NODE_ENV NODE_OPTIONS
  npm_config_cache npm_package_name npm_lifecycle_event INIT_CWD SHELL USER LANG LC_ALL TZ EDITOR PAGER MAIL OLDPWD SHLVL _
  DISPLAY COLORTERM TMPDIR SSH_AUTH_SOCK SSH_CLIENT SSH_TTY XDG_RUNTIME_DIR XDG_SESSION_ID DBUS_SESSION_BUS_ADDRESS LS_COLORS
  REDIS_PORT REDIS_PORT_6379_TCP REDIS_SERVICE_HOST REDIS_SERVICE_PORT MONGODB_SERVICE_HOST MONGODB_PORT_27017_TCP_ADDR
  MONGODB_PASSWORD REDIS_PASSWORD MONGODB_CACHE_GB DOMAIN COMPOSE_PROJECT_NAME DYNO RENDER RAILWAY_ENVIRONMENT FLY_APP_NAME
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy CI GITHUB_ACTIONS GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_OUTPUT GH_TOKEN
  GH_HOST INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET STATE_DIRECTORY LISTEN_PID SYSTEMD_EXEC_PID MALLOC_TRIM_THRESHOLD_
  VIRTUAL_ENV PYTHONPATH JAVA_HOME GOPATH DOCKER_HOST KUBECONFIG AWS_REGION PGHOST PGDATABASE MYSQL_HOST DATABASE_NAME`
  .trim()
  .split(/\s+/);

describe('A variable that looks like a misspelled setting', () => {
  it('is found with the setting that is probably meant', () => {
    for (const [name, meant] of Object.entries(misspelled)) {
      expect(findMisspelled({ [name]: '1' }), name).to.deep.equal(meant === null ? [] : [{ name, meant }]);
    }
  });

  it('is ignored if it is empty', () => {
    expect(findMisspelled({ BASEURL: '', DATADIR: undefined })).to.deep.equal([]);
  });

  for (const name of ['MONGODB_URI', 'MONGODB_URI_FILE']) {
    it(`is not another program's name for a server, if ${name} is set`, () => {
      const env = { MONGO_URL: '1', DATABASE_URL: '1', MONGODB_HOST: '1', [name]: '1' };
      expect(findMisspelled(env)).to.deep.equal([]);
    });
  }

  it('of DATABASE_URL is REDIS_URL if its value is one', () => {
    expect(findMisspelled({ DATABASE_URL: 'rediss://h' })).to.deep.equal([
      { name: 'DATABASE_URL', meant: 'REDIS_URL' },
    ]);
  });

  it("is not one of the client's, of shells, of Kubernetes or of npm, whatever else is set", () => {
    expect(findMisspelled(Object.fromEntries(others.map((name) => [name, '1'])))).to.deep.equal([]);
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
