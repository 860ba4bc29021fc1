# Dropleaf in one image: every process and every command of bin/dropleaf.js. On one machine, behind a proxy with https:
#   docker build -t dropleaf .
#   docker run --detach --init --name dropleaf --publish 127.0.0.1:3000:3000 --volume dropleaf:/data --read-only --tmpfs /tmp \
#     --stop-timeout 30 --env BASE_URL=https://drops.example --env TRUST_PROXY=1 dropleaf
#   docker exec dropleaf bin/dropleaf.js admin reports
# On MongoDB and Redis: compose.yaml. A worker answers no requests: run it with --no-healthcheck.
# compose.yaml says how to renew the digest.
ARG NODE_IMAGE=docker.io/library/node:26.9.0-trixie-slim@sha256:3a771f83944bb763050c23c0225c260638c4b7899e7a72485ef75e5e570499e5

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY cli/package.json cli/
COPY test/clients/package.json test/clients/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts && deploy/prune.sh /app

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Dropleaf" \
  org.opencontainers.image.description="Hosts self-contained HTML pages: post one document, get a public address back" \
  org.opencontainers.image.licenses="MIT"
WORKDIR /app
RUN install -d -o 1000 -g 1000 -m 700 /data
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin/dropleaf.js bin/
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# /healthz, not /readyz: a restart does not help while the database is down. It answers once all parts have started.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/dropleaf.js"]
CMD ["start"]
