# An image of one file: the program, linked statically. There is no shell, no library and no package manager.
# Nothing is downloaded, so that buildah can build it without a registry. Build the program first (docs/packages.md):
#   cargo build --release --locked --target x86_64-unknown-linux-musl -p mmoc-cli
#   buildah bud --build-arg VERSION="$(python3 packaging/check.py version)" -t mmoc .
FROM scratch
ARG BINARY=target/x86_64-unknown-linux-musl/release/mmoc
ARG VERSION=unknown
LABEL org.opencontainers.image.title="mmoc" \
      org.opencontainers.image.description="Multi-label classification by maximum margin output coding" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY LICENSE-APACHE LICENSE-MIT /
COPY --chmod=0555 ${BINARY} /mmoc
# Numeric, because there is no /etc/passwd, and so that Kubernetes can see that it is not root.
USER 65532:65532
WORKDIR /models
EXPOSE 8080
ENTRYPOINT ["/mmoc"]
CMD ["serve", "/models/model.mmoc", "--listen", "0.0.0.0:8080"]
